// SPDX-License-Identifier: GPL-2.0-only
// How the time of the host and the order of the device are converted.
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/pytorch-bench.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace nadi;
using test::ConvertedRank;
using test::KinetoText;
using Json = nlohmann::json;

namespace
{

constexpr int64_t US = 1000; // nanoseconds

std::vector<int64_t>
DurationsUs(const std::vector<ChakraProtoMsg::Node>& nodes)
{
    std::vector<int64_t> durations;
    for (const ChakraProtoMsg::Node& node : nodes)
    {
        durations.push_back(GetDurationNanos(node) / US);
    }
    return durations;
}

} // namespace

TEST_CASE("PyTorch: operators are cut into the time outside what they call", "[unit][trace-tools]")
{
    // outer 0..20, of which inner has 5..8 and 10..14; then nothing until next, 25..26.
    const ConvertedRank rank(KinetoText()
                                 .Operator("outer", 0, 20)
                                 .Operator("inner", 5, 3)
                                 .Operator("inner", 10, 4)
                                 .Operator("next", 25, 1));
    CHECK(DurationsUs(rank.All("outer")) == std::vector<int64_t>{5, 2, 6});
    CHECK(DurationsUs(rank.All("inner")) == std::vector<int64_t>{3, 4});
    CHECK(DurationsUs(rank.All("(no operator)")) == std::vector<int64_t>{5});
    CHECK(rank.Replay().EndNs() == 26 * US);
    const auto continued = rank.All("outer")[1];
    const auto* const first = FindNamed(continued, "continues");
    REQUIRE(first != nullptr);
    CHECK(static_cast<uint64_t>(first->int64_val()) == rank.The("outer").id());
    CHECK(GetAttribute(continued, NodeAttribute::IsCpu) == AttributeValue(true));
}

TEST_CASE("PyTorch: a call that ends after its operator, by the clock, is part of it",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(
        KinetoText().Operator("a", 0, 10).Operator("b", 8, 3).Operator("c", 11, 1));
    CHECK(DurationsUs(rank.All("b")) == std::vector<int64_t>{2});
    CHECK(rank.Replay().EndNs() == 12 * US);
}

TEST_CASE("PyTorch: a kernel waits for its launch and for its stream", "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 10)
                                 .Launch("first", 1, 3, 50, 1, 7)
                                 .Launch("second", 4, 53, 20, 2, 7)
                                 .Launch("aside", 6, 8, 5, 3, 9));
    CHECK(rank.DependsOn("first", "cudaLaunchKernel"));
    CHECK(rank.DependsOn("second", "first"));
    CHECK(!rank.Follows("aside", "first"));
    CHECK(GetAttribute(rank.The("aside"), NodeAttribute::Stream) == AttributeValue(int64_t{9}));
    CHECK(GetDurationNanos(rank.The("first")) == 50 * US);
    // The launch is from 1 to 2, and second begins as soon as first has ended.
    CHECK(rank.Replay().EndNs() == (2 + 50 + 20) * US);
}

TEST_CASE("PyTorch: a call that waits lasts what is left after what it waits for",
          "[unit][trace-tools]")
{
    // The kernel ends at 60, the call returns at 63.
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 80)
                                 .Launch("kernel", 1, 10, 50, 1, 7)
                                 .Call("cudaStreamSynchronize", 5, 58, 2));
    CHECK(rank.DependsOn("cudaStreamSynchronize", "kernel"));
    CHECK(DurationsUs(rank.All("cudaStreamSynchronize")) == std::vector<int64_t>{3});
    // launch 1..2, kernel 2..52, rest of the call 52..55, rest of the operator 17 (63..80)
    CHECK(rank.Replay().EndNs() == 72 * US);
}

TEST_CASE("PyTorch: a call that has nothing to wait for keeps its time", "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 80)
                                 .Launch("kernel", 1, 3, 4, 1, 7)
                                 .Call("cudaDeviceSynchronize", 20, 6, 2));
    CHECK(rank.DependsOn("cudaDeviceSynchronize", "kernel"));
    CHECK(DurationsUs(rank.All("cudaDeviceSynchronize")) == std::vector<int64_t>{6});
}

TEST_CASE("PyTorch: cudaDeviceSynchronize waits for all streams, others for that of the thread",
          "[unit][trace-tools]")
{
    KinetoText text;
    text.Operator("op", 0, 80).Launch("one", 1, 3, 20, 1, 7).Launch("two", 4, 6, 10, 2, 9);
    SECTION("device")
    {
        const ConvertedRank rank(text.Call("cudaDeviceSynchronize", 8, 20, 3));
        CHECK(rank.DependsOn("cudaDeviceSynchronize", "one"));
        CHECK(rank.DependsOn("cudaDeviceSynchronize", "two"));
    }
    SECTION("stream")
    {
        const ConvertedRank rank(text.Call("hipStreamSynchronize", 8, 20, 3));
        CHECK(!rank.DependsOn("hipStreamSynchronize", "one"));
        CHECK(rank.DependsOn("hipStreamSynchronize", "two"));
    }
    SECTION("a stream whose work still ran is none that was waited for")
    {
        const ConvertedRank rank(
            text.Launch("long", 9, 30, 40, 4, 9).Call("cudaStreamSynchronize", 12, 20, 3));
        CHECK(rank.DependsOn("cudaStreamSynchronize", "one"));
        CHECK(!rank.DependsOn("cudaStreamSynchronize", "two"));
    }
    SECTION("an event may be before the last work of the stream")
    {
        const ConvertedRank rank(
            text.Launch("long", 9, 30, 40, 4, 9).Call("cudaEventSynchronize", 12, 8, 3));
        CHECK(rank.DependsOn("cudaEventSynchronize", "two"));
        CHECK(!rank.DependsOn("cudaEventSynchronize", "long"));
    }
}

TEST_CASE("PyTorch: a copy that its call waits for is not waited for twice", "[unit][trace-tools]")
{
    // From 2 to 5 the call prepares, until 105 it copies, and it returns at 107.
    const ConvertedRank rank(
        KinetoText().Operator("op", 0, 110).Call("cudaMemcpyAsync", 2, 105, 1).Copy(5, 100, 1, 7));
    CHECK(DurationsUs(rank.All("cudaMemcpyAsync")) == std::vector<int64_t>{3, 2});
    CHECK(rank.Replay().EndNs() == 110 * US);
}

TEST_CASE("PyTorch: synchronization events say which stream waits for which", "[unit][trace-tools]")
{
    // Stream 9 waits for an event that was recorded on stream 7 before `late` was launched.
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 80)
                                 .Launch("early", 1, 3, 20, 1, 7)
                                 .Call("cudaEventRecord", 4, 1, 2)
                                 .Launch("late", 6, 24, 20, 3, 7)
                                 .Call("cudaStreamWaitEvent", 8, 1, 4)
                                 .Add("cuda_sync",
                                      "Stream Wait Event",
                                      8,
                                      1,
                                      {{"correlation", 4},
                                       {"stream", 9},
                                       {"wait_on_stream", 7},
                                       {"wait_on_cuda_event_record_corr_id", 2}},
                                      9)
                                 .Launch("other", 10, 12, 5, 5, 11)
                                 .Launch("waiting", 12, 23, 5, 6, 9));
    CHECK(rank.DependsOn("waiting", "early"));
    CHECK(!rank.Follows("waiting", "late"));
    CHECK(!rank.Follows("other", "early"));
}

TEST_CASE("PyTorch: after cudaStreamWaitEvent, what is launched waits for other streams",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 80)
                                 .Launch("load", 1, 3, 20, 1, 9)
                                 .Call("cudaStreamWaitEvent", 4, 1, 2)
                                 .Launch("use", 6, 24, 20, 3, 7)
                                 .Launch("next", 8, 44, 5, 4, 7));
    CHECK(rank.DependsOn("use", "load"));
    CHECK(!rank.DependsOn("next", "load"));
}

TEST_CASE("PyTorch: work without a launching call follows its stream, and a note counts it",
          "[unit][trace-tools]")
{
    const ConvertedRank rank(KinetoText()
                                 .Operator("op", 0, 80)
                                 .Kernel("lost", 1, 2, 99, 7)
                                 .Launch("kernel", 2, 4, 3, 1, 7));
    CHECK(rank.The("lost").data_deps().empty());
    CHECK(rank.DependsOn("kernel", "lost"));
    CHECK(rank.Notes("1 kernels and copies have no launching call"));
}

TEST_CASE("PyTorch: the backward pass and the thread that asks for it wait for each other",
          "[unit][trace-tools]")
{
    constexpr int64_t worker = 200;
    const Json backward{{"Fwd thread id", 1}};
    // The worker works from 20 to 60; meanwhile the caller only does `hook`.
    const ConvertedRank rank(KinetoText()
                                 .Operator("forward", 0, 10)
                                 .Operator("backward", 10, 60)
                                 .Operator("hook", 40, 5)
                                 .Operator("update", 70, 5)
                                 .Operator("MulBackward", 20, 15, backward, worker)
                                 .Operator("AddBackward", 36, 24, backward, worker));
    CHECK(rank.Follows("MulBackward", "forward"));
    CHECK(rank.Follows("update", "AddBackward"));
    // 10 until it asks; from 36, when MulBackward is over, until its hook at 40, as nothing says
    // that it waits for AddBackward then; and from 60 on 10 until it returns.
    const auto parts = DurationsUs(rank.All("backward"));
    CHECK(std::accumulate(parts.begin(), parts.end(), int64_t{0}) == 10 + 4 + 10);
    CHECK(rank.Replay().EndNs() == 75 * US);
    // What one CPU would take that does one thing at a time: nothing is done twice.
    int64_t work = 0;
    for (const auto& node : rank.Document().nodes)
    {
        work += GetDurationNanos(node);
    }
    CHECK(work == (10 + 10 + 15 + 1 + 24 + 4 + 5 + 10 + 5) * US);
}

TEST_CASE("PyTorch: a thread that works for the backward pass that it asked for, waits on",
          "[unit][trace-tools]")
{
    constexpr int64_t worker = 200;
    const Json backward{{"Fwd thread id", 1}};
    // The worker works from 20 to 60, with a pause in which the caller takes over AccumulateGrad.
    const ConvertedRank rank(
        KinetoText()
            .Operator("forward", 0, 10)
            .Operator("backward", 10, 60)
            .Operator("autograd::engine::evaluate_function: AccumulateGrad", 36, 5)
            .Operator("MulBackward", 20, 15, backward, worker)
            .Operator("AddBackward", 38, 22, backward, worker));
    const auto parts = DurationsUs(rank.All("backward"));
    // 10 until it asks, the step from 35 to 36, and from 60 on 10 until it returns.
    CHECK(std::accumulate(parts.begin(), parts.end(), int64_t{0}) == 10 + 1 + 10);
    CHECK(rank.Replay().EndNs() == 70 * US);
}

TEST_CASE("PyTorch: what another thread waits for is no work of the CPU", "[unit][trace-tools]")
{
    constexpr int64_t loader = 200;
    const ConvertedRank rank(KinetoText()
                                 .Operator("first", 0, 50)
                                 .Operator("second", 50, 50)
                                 .Operator("third", 100, 20)
                                 .Operator("load", 60, 30, Json::object(), loader)
                                 .Operator("pin", 95, 5, Json::object(), loader));
    CHECK(rank.Follows("load", "first"));
    CHECK(DurationsUs(rank.All("second")) == std::vector<int64_t>{10, 40}); // cut at 60
    // The pause from 90 to 95 is short, so that its time is kept.
    CHECK(DurationsUs(rank.All("(no operator)")) == std::vector<int64_t>{0, 5});
    CHECK(rank.Replay().EndNs() == 120 * US);
    CHECK(rank.Replay().StartOf(rank.The("load")) == 60 * US);
}

TEST_CASE("PyTorch: a device trace without operators of the host is refused", "[unit][trace-tools]")
{
    const std::string text =
        ConfigErrorText([] { ConvertedRank(KinetoText().Kernel("kernel", 1, 2, 3, 7)); });
    CHECK(test::Contains(text, "kineto.json: has no operator of the host"));
    CHECK(test::Contains(text, "ProfilerActivity.CPU"));
}

TEST_CASE("PyTorch: a device trace that lasts longer than the simulated clock runs is refused",
          "[unit][trace-tools]")
{
    const auto errorOf = [](double duration)
    {
        return ConfigErrorText([duration]
                               { ConvertedRank(KinetoText().Operator("first", 0, duration)); });
    };
    CHECK(errorOf(9.2e12).empty()); // the clock runs 2^63 ps, which are 9.22e12 us
    CHECK(test::Contains(errorOf(9.3e12), "kineto.json: has events that lie more than 106 days"));
}
