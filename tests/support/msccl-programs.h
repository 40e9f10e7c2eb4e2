// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace nadi::test
{

/// A step as MSCCL's tools write it; `wait` is "depid,deps" of the step that it waits for.
struct StepText
{
    const char* type = "nop";
    std::string source = "i 0";      ///< buffer and chunk
    std::string destination = "o 0"; ///< likewise
    std::string block = "-1";        ///< that it waits for
    std::string step = "-1";
    uint32_t count = 1;
};

inline std::string
FormatStep(uint32_t number, const StepText& step)
{
    return fmt::format("<step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
                       "dstoff=\"{}\" cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"0\"/>\n",
                       number,
                       step.type,
                       step.source.substr(0, 1),
                       step.source.substr(2),
                       step.destination.substr(0, 1),
                       step.destination.substr(2),
                       step.count,
                       step.block,
                       step.step);
}

/// An all-gather on a ring: a thread block copies the rank's own chunk, another one passes chunks
/// on, the last of which it only receives.
inline std::string
MakeAllGatherRing(uint32_t gpus)
{
    std::string text =
        fmt::format("<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{0}\" "
                    "ngpus=\"{0}\" coll=\"allgather\" inplace=\"0\">\n",
                    gpus);
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    {
        const auto output = [gpu, gpus](uint32_t hops)
        { return "o " + std::to_string((gpu + gpus - hops) % gpus); };
        text += fmt::format("<gpu id=\"{}\" i_chunks=\"1\" o_chunks=\"{}\" s_chunks=\"0\">\n"
                            "<tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\">\n",
                            gpu,
                            gpus);
        text += FormatStep(0, {"cpy", "i 0", output(0)});
        text += fmt::format("</tb>\n<tb id=\"1\" send=\"{}\" recv=\"{}\" chan=\"0\">\n",
                            (gpu + 1) % gpus,
                            (gpu + gpus - 1) % gpus);
        text += FormatStep(0, {"s", "i 0", "o 0"});
        for (uint32_t hops = 1; hops < gpus; ++hops)
        {
            text += FormatStep(hops, {hops + 1 < gpus ? "rcs" : "r", "i 0", output(hops)});
        }
        text += "</tb></gpu>\n";
    }
    return text + "</algo>\n";
}

/// An all-reduce of two GPUs, in which each sends all it has: thread block 0 sends the input,
/// thread block 1 receives the other's into scratch, thread block 2 copies the input to the output,
/// and then, once the scratch is full, adds it. `step` of block 1 is what the addition waits for.
inline std::string
MakeExchange(const std::string& block = "1", const std::string& step = "0")
{
    std::string text = "<algo name=\"exchange\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"2\" "
                       "ngpus=\"2\" coll=\"allreduce\" inplace=\"0\">\n";
    for (uint32_t gpu = 0; gpu < 2; ++gpu)
    {
        text += fmt::format("<gpu id=\"{0}\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"2\">\n"
                            "<tb id=\"0\" send=\"{1}\" recv=\"-1\" chan=\"0\">\n",
                            gpu,
                            1 - gpu);
        text += FormatStep(0, {.type = "s", .source = "i 0", .count = 2});
        text += fmt::format("</tb>\n<tb id=\"1\" send=\"-1\" recv=\"{}\" chan=\"0\">\n", 1 - gpu);
        text += FormatStep(0, {.type = "r", .destination = "s 0", .count = 2});
        text += "</tb>\n<tb id=\"2\" send=\"-1\" recv=\"-1\" chan=\"0\">\n";
        text += FormatStep(0, {.type = "cpy", .source = "i 0", .destination = "o 0", .count = 2});
        text += FormatStep(1, {.type = "nop", .block = block, .step = step});
        text += FormatStep(2, {.type = "re", .source = "s 0", .destination = "o 0", .count = 2});
        text += "</tb></gpu>\n";
    }
    return text + "</algo>\n";
}

/// A reduce-scatter of three GPUs, in place, in which partial sums go round and are stored nowhere
/// until their owner receives them: s, then rrs, then rrc.
inline std::string
MakeReduceScatterRing()
{
    std::string text = "<algo name=\"passing\" proto=\"Simple\" nchannels=\"1\" "
                       "nchunksperloop=\"3\" ngpus=\"3\" coll=\"reduce_scatter\" inplace=\"1\">\n";
    for (uint32_t gpu = 0; gpu < 3; ++gpu)
    {
        const auto input = [gpu](uint32_t hops)
        { return "i " + std::to_string((gpu + 3 - hops) % 3); };
        text += fmt::format("<gpu id=\"{}\" i_chunks=\"3\" o_chunks=\"0\" s_chunks=\"0\">\n"
                            "<tb id=\"0\" send=\"{}\" recv=\"{}\" chan=\"0\">\n",
                            gpu,
                            (gpu + 1) % 3,
                            (gpu + 2) % 3);
        text += FormatStep(0, {"s", input(1), "i 0"});
        text += FormatStep(1, {"rrs", input(2), "i 0"});
        text += FormatStep(2, {"rrc", input(0), input(0)});
        text += "</tb></gpu>\n";
    }
    return text + "</algo>\n";
}

} // namespace nadi::test
