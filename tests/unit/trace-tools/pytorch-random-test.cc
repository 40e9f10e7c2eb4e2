// SPDX-License-Identifier: GPL-2.0-only
// Recordings that nobody made: whatever is in them, the trace can be run.
#include "tests/support/pytorch-bench.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <random>

using namespace nadi;
using test::KinetoText;
using Json = nlohmann::json;

namespace
{

/// Draws events that overlap and contradict one another as real ones never do.
class RandomRecording
{
  public:
    explicit RandomRecording(uint32_t seed)
        : m_random(seed)
    {
    }

    KinetoText Draw()
    {
        KinetoText text;
        text.Operator("begin", 0, 1 + Number(50));
        for (uint64_t event = 1; event < 60; ++event)
        {
            AddEvent(text, event);
        }
        return text;
    }

  private:
    uint32_t Number(uint32_t below)
    {
        return std::uniform_int_distribution<uint32_t>(0, below - 1)(m_random);
    }

    void AddEvent(KinetoText& text, uint64_t number)
    {
        static constexpr std::array CALLS{"cudaStreamWaitEvent",
                                          "cudaStreamSynchronize",
                                          "cudaEventSynchronize",
                                          "cudaDeviceSynchronize",
                                          "cudaMemcpy"};
        const double start = Number(200);
        const double duration = Number(60);
        const int64_t thread = 100 + Number(3);
        switch (Number(6))
        {
        case 0:
            text.Operator("op", start, duration, Json::object(), thread);
            return;
        case 1:
            text.Operator("step", start, duration, {{"Fwd thread id", 1}}, 101);
            return;
        case 2:
            text.Operator("record_param_comms",
                          start,
                          duration,
                          {{"Collective name", Number(2) == 0 ? "wait" : "send"}, {"Dst Rank", 1}},
                          thread);
            return;
        case 3:
            text.Call(CALLS[Number(CALLS.size())], start, duration, Number(60), thread);
            return;
        default:
            text.Call("cudaLaunchKernel", start, Number(5), number, thread)
                .Kernel(Number(3) == 0 ? "ncclKernel_SendRecv" : "kernel",
                        Number(250),
                        duration,
                        number,
                        7 + Number(3));
        }
    }

    std::mt19937 m_random;
};

} // namespace

TEST_CASE("PyTorch: any recording gives a trace without cycles that takes no time twice",
          "[unit][trace-tools]")
{
    for (uint32_t seed = 0; seed < 300; ++seed)
    {
        INFO("seed " << seed);
        const KinetoText text = RandomRecording(seed).Draw();
        const test::ConvertedRank rank(text); // replays, and throws where there is a cycle
        const TraceFile read =
            ParseTrace(FormatDocument(rank.Document()), "random", DependencyPolicy::Auto);
        CHECK(read.graph.NodeCount() == rank.Document().nodes.size());
        // Threads are at most as long as the recording, each for itself.
        std::map<int64_t, int64_t> ofThread;
        for (const auto& node : rank.Document().nodes)
        {
            const auto* const thread = FindNamed(node, "tid");
            if (thread != nullptr)
            {
                ofThread[thread->int64_val()] += GetDurationNanos(node);
            }
        }
        for (const auto& [thread, sum] : ofThread)
        {
            CHECK(sum <= 320'000); // begins before 250 us, lasts less than 60 us
        }
    }
}
