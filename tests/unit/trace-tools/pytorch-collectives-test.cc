// SPDX-License-Identifier: GPL-2.0-only
// How collectives, sends and receives of PyTorch recordings are converted.
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/pytorch-bench.h"

#include <catch2/catch.hpp>

using namespace nadi;
using test::ConvertedRank;
using test::KinetoText;
using Json = nlohmann::json;

namespace
{

constexpr uint32_t COMPUTE = 7;
constexpr uint32_t LIBRARY = 24;

Json
CallArgs(const std::string& name, uint64_t elements, const Json& more = Json::object())
{
    Json args{{"Collective name", name},
              {"dtype", "Float"},
              {"In msg nelems", elements},
              {"Out msg nelems", elements}};
    args.update(more);
    return args;
}

std::optional<int64_t>
NumberOf(const ChakraProtoMsg::Node& node, NodeAttribute attribute)
{
    return ToInteger(GetAttribute(node, attribute));
}

std::string
GroupOf(const ChakraProtoMsg::Node& node)
{
    return std::string(std::get<std::string_view>(GetAttribute(node, NodeAttribute::Group)));
}

/// An all-reduce as PyTorch records one that it calls at `us`: within 20 us, its stream waits, the
/// kernel `name` is launched with a number, and the library joins its streams.
void
AddAllReduce(KinetoText& text, double us, double start, uint64_t number, const std::string& name)
{
    text.Operator("record_param_comms", us, 20, CallArgs("allreduce", 1000))
        .Operator("nccl:all_reduce", us + 4, 14)
        .Call("cudaStreamWaitEvent", us + 2, 1, 1000 + number)
        .Call("cudaStreamWaitEvent", us + 6, 1, 2000 + number)
        .Launch(name, us + 8, start, 50, number, LIBRARY)
        .Call("cudaStreamWaitEvent", us + 12, 1, 3000 + number);
}

/// The operator in which the current stream waits for a collective.
void
AddWait(KinetoText& text, double us, uint64_t number)
{
    text.Operator("record_param_comms", us, 4, {{"Collective name", "wait"}})
        .Call("cudaStreamWaitEvent", us + 1, 1, number);
}

} // namespace

TEST_CASE("PyTorch: a kernel of NCCL is a collective of the size in its arguments",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(
        KinetoText()
            .Operator("op", 0, 10)
            .Launch("ncclDevKernel_Generic",
                    1,
                    3,
                    50,
                    1,
                    LIBRARY,
                    CallArgs("all_to_allv",
                             600,
                             {{"In split size", "[100, 500]"}, {"Out split size", "[350, 250]"}}))
            .Distributed(0, 2),
        2);
    const auto node = rank.The("ncclDevKernel_Generic");
    CHECK(node.type() == ChakraProtoMsg::COMM_COLL_NODE);
    CHECK(NumberOf(node, NodeAttribute::CollectiveType) == ChakraProtoMsg::ALL_TO_ALL);
    CHECK(NumberOf(node, NodeAttribute::CommunicationSize) == 2400); // 600 elements of 4 bytes
    CHECK(NumberOf(node, NodeAttribute::Stream) == LIBRARY);
    CHECK(GetDurationNanos(node) == 50'000);
    const auto* const splits = FindNamed(node, "in_split_size");
    REQUIRE(splits != nullptr);
    CHECK(splits->int64_list().values(1) == 500);
    CHECK(FindNamed(node, "out_split_size")->int64_list().values(0) == 350);
    CHECK(rank.Notes("1 collectives name no group"));
}

TEST_CASE("PyTorch: an all-gather counts the shard of the rank, a broadcast has its root",
          "[unit][trace-tools]")
{
    const Json group{{"Process Group Name", "dp"}, {"Process Group Ranks", "[2, 5]"}};
    Json gather = CallArgs("_allgather_base", 10, group);
    gather["Out msg nelems"] = 20;
    Json broadcast = CallArgs("broadcast", 10, group);
    broadcast["Rank"] = "1";
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 10)
                                 .Launch("ncclGather", 1, 3, 5, 1, LIBRARY, gather)
                                 .Launch("ncclBroadcast", 3, 8, 5, 2, LIBRARY, broadcast)
                                 .Distributed(0, 8),
                             8);
    CHECK(NumberOf(rank.The("ncclGather"), NodeAttribute::CommunicationSize) == 40);
    CHECK(GroupOf(rank.The("ncclGather")) == "dp");
    CHECK(NumberOf(rank.The("ncclBroadcast"), NodeAttribute::Root) == 5);
    CHECK(rank.Converter().Groups() == ProcessGroups{{"dp", {2, 5}}});
}

TEST_CASE("PyTorch: sizes come from the operator around the launch where the kernel has none",
          "[unit][trace-tools]")
{
    SECTION("record_param_comms")
    {
        KinetoText text;
        AddAllReduce(text, 0, 10, 1, "ncclKernel_AllReduce");
        const ConvertedRank rank(text);
        const auto node = rank.The("ncclKernel_AllReduce");
        CHECK(NumberOf(node, NodeAttribute::CommunicationSize) == 4000);
    }
    SECTION("the shapes of the library's operator")
    {
        const ConvertedRank rank(
            KinetoText()
                .Operator("nccl:all_reduce",
                          0,
                          10,
                          {{"Input Dims", Json::array({{300, 2}})}, {"Input type", {"c10::Half"}}})
                .Launch("ncclKernel_AllReduce", 1, 3, 5, 1, LIBRARY));
        const auto node = rank.The("ncclKernel_AllReduce");
        CHECK(NumberOf(node, NodeAttribute::CommunicationSize) == 300 * 2 * 2);
    }
}

TEST_CASE("PyTorch: what is not told of a collective is not made up", "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 10)
                                 .Launch("ncclKernel_AllReduce", 1, 3, 5, 1, LIBRARY)
                                 .Launch("ncclKernel_SendRecv", 3, 8, 5, 2, LIBRARY));
    const auto sizeless = rank.The("ncclKernel_AllReduce");
    CHECK(sizeless.type() == ChakraProtoMsg::COMM_COLL_NODE);
    CHECK(!NumberOf(sizeless, NodeAttribute::CommunicationSize));
    CHECK(rank.Notes("1 communication nodes have no size"));
    CHECK(rank.The("ncclKernel_SendRecv").type() == ChakraProtoMsg::COMP_NODE);
    CHECK(rank.Notes("1 communication kernels, of which the recording does not tell"));
}

TEST_CASE("PyTorch: a collective waits for compute, and compute for a collective after its wait",
          "[unit][trace-tools]")
{
    KinetoText text;
    text.Operator("op", 0, 200).Launch("before", 1, 3, 20, 1, COMPUTE);
    AddAllReduce(text, 10, 30, 2, "ncclAllReduce");
    text.Launch("beside", 32, 34, 5, 3, COMPUTE);
    AddWait(text, 35, 4);
    text.Launch("after", 40, 85, 5, 5, COMPUTE);
    const ConvertedRank rank(text);
    CHECK(rank.DependsOn("ncclAllReduce", "before"));
    CHECK(!rank.Follows("beside", "ncclAllReduce"));
    CHECK(rank.DependsOn("after", "ncclAllReduce"));
}

TEST_CASE("PyTorch: waits are for the oldest collective that nothing waited for",
          "[unit][trace-tools]")
{
    KinetoText text;
    text.Operator("op", 0, 400);
    AddAllReduce(text, 10, 30, 1, "ncclFirst");
    AddAllReduce(text, 40, 90, 2, "ncclSecond");
    AddWait(text, 70, 3);
    text.Launch("one", 75, 82, 5, 4, COMPUTE);
    AddWait(text, 80, 5);
    text.Launch("two", 85, 145, 5, 6, COMPUTE);
    const ConvertedRank rank(text);
    CHECK(rank.DependsOn("one", "ncclFirst"));
    CHECK(!rank.Follows("one", "ncclSecond"));
    CHECK(rank.DependsOn("two", "ncclSecond"));
}

TEST_CASE("PyTorch: a wait that the recorded times contradict is left out", "[unit][trace-tools]")
{
    KinetoText text;
    text.Operator("op", 0, 200);
    AddAllReduce(text, 10, 30, 1, "ncclAllReduce"); // until 80
    AddWait(text, 35, 2);
    // On another stream than the one that waits, as it begins before.
    text.Launch("copy", 40, 45, 5, 3, 9).Launch("after", 50, 85, 5, 4, COMPUTE);
    const ConvertedRank rank(text);
    CHECK(!rank.Follows("copy", "ncclAllReduce"));
    CHECK(rank.DependsOn("after", "ncclAllReduce"));
}

TEST_CASE("PyTorch: without recorded waits, compute waits for the collective before it",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 100)
                                 .Launch("before", 1, 3, 20, 1, COMPUTE)
                                 .Launch("ncclKernel_AllReduce", 4, 24, 20, 2, LIBRARY)
                                 .Launch("after", 8, 45, 20, 3, COMPUTE));
    CHECK(rank.DependsOn("ncclKernel_AllReduce", "before"));
    CHECK(rank.DependsOn("after", "ncclKernel_AllReduce"));
}

TEST_CASE("PyTorch: a kernel of several sends and receives is as many nodes", "[unit][trace-tools]")
{
    const Json group{{"Process Group Ranks", "[4, 6]"}};
    Json send = CallArgs("send", 10, group);
    send["Dst Rank"] = "6";
    Json receive = CallArgs("recv", 20, group);
    receive["Rank"] = "0"; // a place in the group
    const ConvertedRank rank(KinetoText()
                                 .Operator("record_param_comms", 0, 3, send)
                                 .Operator("record_param_comms", 4, 3, receive)
                                 .Operator("nccl:coalesced", 8, 10)
                                 .Launch("ncclDevKernel_SendRecv", 9, 11, 30, 1, LIBRARY)
                                 .Launch("next", 14, 45, 5, 2, LIBRARY)
                                 .Distributed(0, 8),
                             8);
    const auto nodes = rank.All("ncclDevKernel_SendRecv");
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[0].type() == ChakraProtoMsg::COMM_SEND_NODE);
    CHECK(NumberOf(nodes[0], NodeAttribute::Destination) == 6);
    CHECK(NumberOf(nodes[0], NodeAttribute::CommunicationSize) == 40);
    CHECK(NumberOf(nodes[0], NodeAttribute::Tag) == 0);
    CHECK(nodes[1].type() == ChakraProtoMsg::COMM_RECV_NODE);
    CHECK(NumberOf(nodes[1], NodeAttribute::Source) == 4);
    CHECK(NumberOf(nodes[1], NodeAttribute::CommunicationSize) == 80);
    for (const auto& node : nodes)
    {
        CHECK(rank.Replay().Follows(rank.The("next"), node));
    }
}

TEST_CASE("PyTorch: the first kernel of a call carries all of it", "[unit][trace-tools]")
{
    const ConvertedRank rank(
        KinetoText()
            .Operator("record_param_comms", 0, 20, CallArgs("allreduce_coalesced", 100))
            .Launch("ncclAllReduceA", 1, 3, 5, 1, LIBRARY)
            .Launch("ncclAllReduceB", 6, 9, 5, 2, LIBRARY));
    CHECK(NumberOf(rank.The("ncclAllReduceA"), NodeAttribute::CommunicationSize) == 400);
    CHECK(rank.The("ncclAllReduceB").type() == ChakraProtoMsg::COMP_NODE);
    CHECK(rank.Notes("1 communication kernels are not the first one of their call"));
}

TEST_CASE("PyTorch: a message whose other rank is unknown stays compute", "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("record_param_comms", 0, 10, CallArgs("send", 10))
                                 .Launch("ncclDevKernel_SendRecv", 2, 11, 30, 1, LIBRARY));
    CHECK(rank.The("ncclDevKernel_SendRecv").type() == ChakraProtoMsg::COMP_NODE);
    CHECK(rank.Notes("1 sends and receives do not tell the other rank"));
}

TEST_CASE("PyTorch: groups of one name and other ranks are other groups", "[unit][trace-tools]")
{
    PytorchConverter converter(4);
    std::vector<std::string> names;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const Json ranks = rank < 2 ? Json{0, 1} : Json{2, 3};
        const Json args = CallArgs("allreduce", 10, {{"Process Group Name", "3"}});
        const KinetoTrace device = KinetoText()
                                       .Operator("op", 0, 10)
                                       .Launch("ncclAllReduce", 1, 3, 5, 1, LIBRARY, args)
                                       .Distributed(rank, 4, {{{"pg_name", "3"}, {"ranks", ranks}}})
                                       .Parse();
        for (const auto& node : converter.Convert(rank, device, nullptr).nodes)
        {
            if (node.type() == ChakraProtoMsg::COMM_COLL_NODE)
            {
                names.push_back(GroupOf(node));
            }
        }
    }
    CHECK(names == std::vector<std::string>{"3", "3", "3#2", "3#2"});
    CHECK(converter.Groups() == ProcessGroups{{"3", {0, 1}}, {"3#2", {2, 3}}});
}

TEST_CASE("PyTorch: the group of all ranks needs no definition, and its name means nothing else",
          "[unit][trace-tools]")
{
    PytorchGroups groups;
    CHECK(groups.Resolve("0", {0, 1, 2, 3}, 4) == "0");
    CHECK(groups.Groups().empty());
    CHECK(groups.Resolve("0", {0, 1}, 4) == "0#2");
    CHECK(groups.Groups() == ProcessGroups{{"0#2", {0, 1}}});
}

TEST_CASE("PyTorch: a recording of another rank is refused", "[unit][trace-tools]")
{
    PytorchConverter converter(2);
    const KinetoTrace device = KinetoText().Operator("op", 0, 10).Distributed(1, 2).Parse();
    const std::string text = ConfigErrorText([&] { converter.Convert(0, device, nullptr); });
    CHECK(test::Contains(text, "recording of rank 1, but stands in the place of rank 0"));
}
