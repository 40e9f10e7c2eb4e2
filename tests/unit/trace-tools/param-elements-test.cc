// SPDX-License-Identifier: GPL-2.0-only
// What a trace's attributes say beside its sizes: the type of elements, the parts of an all-to-all.
#include "tests/support/config-error-text.h"
#include "tests/support/job-bench.h"
#include "tests/unit/trace-tools/param-reader.h"
#include "workload/generators/uniform-workload.h"
#include "workload/tools/exports/param-export.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// One collective of two ranks that its document describes further.
struct DescribedCall
{
    ExecutionNode node;
    TraceDocument document;

    explicit DescribedCall(CollectiveType type, uint64_t size)
        : node(MakeCollective(1, type, size))
    {
        document = ParseDocument(FormatTrace(Job().graphs.front()), "described");
    }

    Workload Job() const
    {
        ExecutionGraphBuilder builder("described");
        builder.AddNode(node, "call");
        return MakeUniformWorkload(builder.Build(), 2);
    }

    void SetType(const std::string& dtype)
    {
        auto& attribute = *document.nodes[0].add_attr();
        attribute.set_name("dtype");
        attribute.set_string_val(dtype);
    }

    void SetSplits(const char* name, std::initializer_list<int64_t> splits)
    {
        auto& attribute = *document.nodes[0].add_attr();
        attribute.set_name(name);
        attribute.mutable_int64_list()->mutable_values()->Add(splits.begin(), splits.end());
    }

    PlayedCall Played() const
    {
        const Workload job = Job();
        const std::string text = FormatParamTrace(UnevenExchanges(job), RankId{0}, &document);
        return ParamReader(text).CallsWithoutWaits().at(0);
    }
};

} // namespace

TEST_CASE("elements are what the trace says, else float, and bytes where that cuts one",
          "[trace-tools]")
{
    DescribedCall reduce(CollectiveType::AllReduce, 96);
    CHECK(reduce.Played().element == "float");
    reduce.SetType("BFloat16");
    CHECK(reduce.Played().element == "c10::BFloat16");
    CHECK(reduce.Played().inBytes == 96);
    DescribedCall odd(CollectiveType::AllReduce, 97);
    CHECK(odd.Played().element == "unsigned char");
    CHECK(odd.Played().inBytes == 97);
    DescribedCall small(CollectiveType::AllReduce, 96);
    small.SetType("Float8_e4m3fn");
    CHECK(small.Played().element == "unsigned char");
    // 12 bytes are 3 floats, of which neither rank can have a half.
    DescribedCall scatter(CollectiveType::ReduceScatter, 12);
    CHECK(scatter.Played().element == "unsigned char");
    CHECK(scatter.Played().outBytes == 6);
    // Nor can they have 6.5 bytes: 7 for both.
    DescribedCall rounded(CollectiveType::ReduceScatter, 13);
    CHECK(rounded.Played().inBytes == 14);
    CHECK(rounded.Played().outBytes == 7);
}

TEST_CASE("the parts of an all-to-all are played where the trace says them", "[trace-tools]")
{
    DescribedCall exchange(CollectiveType::AllToAll, 64);
    CHECK(exchange.Played().name == "alltoall");
    exchange.SetType("Long");
    exchange.SetSplits("in_split_size", {6, 2}); // 8 elements of 8 bytes
    exchange.SetSplits("out_split_size", {6, 3});
    const PlayedCall call = exchange.Played();
    CHECK(call.name == "alltoallv");
    CHECK(call.inSplits == std::vector<uint64_t>{6, 2});
    CHECK(call.outSplits == std::vector<uint64_t>{6, 3});
    CHECK(call.inBytes == 64);
    CHECK(call.outBytes == 9 * 8);
}

TEST_CASE("parts say how many bytes an element has where no type is known", "[trace-tools]")
{
    for (const auto& [bytes, type] : std::map<uint64_t, std::string>{
             {1, "unsigned char"}, {2, "c10::Half"}, {4, "float"}, {8, "double"}})
    {
        DescribedCall exchange(CollectiveType::AllToAll, 8 * bytes);
        exchange.SetSplits("in_split_size", {6, 2});
        exchange.SetSplits("out_split_size", {6, 2});
        CHECK(exchange.Played().element == type);
        CHECK(exchange.Played().inBytes == 8 * bytes);
    }
}

TEST_CASE("parts count what the size says, also where the trace names another type",
          "[trace-tools]")
{
    DescribedCall other(CollectiveType::AllToAll, 64);
    other.SetSplits("in_split_size", {6, 2});
    other.SetSplits("out_split_size", {6, 3});
    other.SetType("Float"); // but 64 bytes are 8 elements of 8 bytes
    CHECK(other.Played().element == "double");
    CHECK(other.Played().outBytes == 72);
    // No type has 5 bytes, so the parts become bytes.
    DescribedCall odd(CollectiveType::AllToAll, 40);
    odd.SetSplits("in_split_size", {6, 2});
    odd.SetSplits("out_split_size", {6, 3});
    CHECK(odd.Played().element == "unsigned char");
    CHECK(odd.Played().inSplits == std::vector<uint64_t>{30, 10});
    CHECK(odd.Played().outSplits == std::vector<uint64_t>{30, 15});
    CHECK(odd.Played().inBytes == 40);
}

TEST_CASE("parts that do not fit the group are an error", "[trace-tools]")
{
    const std::string misfit = "described: node 1 (call): in_split_size and out_split_size do not "
                               "fit a group of 2 ranks; write for each a number of elements from 0";
    DescribedCall three(CollectiveType::AllToAll, 64);
    three.SetSplits("in_split_size", {6, 5, 5});
    three.SetSplits("out_split_size", {6, 5, 5});
    CHECK(ConfigErrorText([&] { three.Played(); }) == misfit);
    DescribedCall negative(CollectiveType::AllToAll, 64);
    negative.SetSplits("in_split_size", {17, -1});
    negative.SetSplits("out_split_size", {8, 8});
    CHECK(ConfigErrorText([&] { negative.Played(); }) == misfit);
}
