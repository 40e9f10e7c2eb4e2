// SPDX-License-Identifier: GPL-2.0-only
// The first line of a text workload: no word of it is passed over.
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "tests/support/scratch-directory.h"
#include "workload/models/text-file.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::string
WithFirstLine(const std::string& line)
{
    return line + "\n3\n"
                  "one -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n"
                  "two -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n"
                  "three -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n";
}

TextFile
ReadFirstLine(const std::string& line)
{
    return ParseTextFile(WithFirstLine(line), "t.txt");
}

std::string
FirstLineError(const std::string& line)
{
    return ConfigErrorText([&line] { ReadFirstLine(line); });
}

} // namespace

TEST_CASE("Text settings: they are read in any order, and the needed number with or without name",
          "[unit][workload]")
{
    const std::string repeating = "HYBRID_TRANSFORMER_FWD_IN_BCKWD ";
    const std::vector<std::string> lines{
        repeating + "model_parallel_NPU_group: 4 checkpoints: 2 1 0 checkpoint_initiates: 1 2",
        repeating + "checkpoint_initiates: 1 2 checkpoints: 2 0 1 model_parallel_NPU_group: 4",
        repeating + "4 checkpoints: 2 1 0 checkpoint_initiates: 1 2"};
    for (const std::string& line : lines)
    {
        CAPTURE(line);
        const TextFile file = ReadFirstLine(line);
        CHECK(file.policy == TextPolicy::Transformer);
        CHECK(file.repeatsForward);
        CHECK(file.modelRanks == 4);
        CHECK(file.checkpoints == std::vector<uint32_t>{0, 1});
        CHECK(file.initiators == std::vector<uint32_t>{2});
        CHECK_FALSE(file.ranks);
    }
    CHECK(ReadFirstLine("HYBRID_DLRM 1").lastBottomLayer == 1);
    CHECK(ReadFirstLine("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\t\t").lastBottomLayer == 1);
}

TEST_CASE("Text settings: a word that means nothing is refused", "[unit][workload]")
{
    const std::string repeating = "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
    const std::string inBlocks = repeating + " model_parallel_NPU_group: 4 ";
    const std::string noSetting = " is no setting of " + repeating;
    CHECK(FirstLineError(inBlocks + "checkpoints: 1 0 checkpoint_initiate: 1 2") ==
          "t.txt:1: \"checkpoint_initiate:\"" + noSetting +
              " (did you mean checkpoint_initiates:?)");
    CHECK(FirstLineError(inBlocks + "checkpoints: 1 0 2 checkpoint_initiates: 1 2")
              .starts_with("t.txt:1: \"2\"" + noSetting));
    CHECK(FirstLineError(inBlocks + "checkpoints: 3 0 checkpoint_initiates: 1 2") ==
          "t.txt:1: \"checkpoint_initiates:\" is no number of a layer; write a whole number up to "
          "2^24");
    CHECK(FirstLineError(inBlocks + "checkpoints: 1 0 checkpoints: 1 1") ==
          "t.txt:1: has checkpoints: twice; keep one of them");
    CHECK(FirstLineError(repeating + " 4 model_parallel_NPU_group: 4") ==
          "t.txt:1: has model_parallel_NPU_group: twice; keep one of them");
    CHECK(FirstLineError("DATA rubbish: 3") ==
          "t.txt:1: \"rubbish:\" is no setting of DATA; known: none");
    CHECK(FirstLineError("HYBRID_DLRM 1 2") ==
          "t.txt:1: \"2\" is no setting of HYBRID_DLRM; known: DLRM_LAST_BOTTOM_LAYER:");
    // Only the other transformer repeats parts of the forward pass.
    CHECK(FirstLineError("HYBRID_TRANSFORMER 4 checkpoints: 1 0")
              .starts_with("t.txt:1: \"checkpoints:\" is no setting of HYBRID_TRANSFORMER"));
}

TEST_CASE("Text settings: a setting without its number is refused", "[unit][workload]")
{
    CHECK(FirstLineError("HYBRID_DLRM") ==
          "t.txt:1: ends before the number of the last bottom layer");
    CHECK(FirstLineError("HYBRID_TRANSFORMER model_parallel_NPU_group:") ==
          "t.txt:1: ends before the size of a model-parallel group");
    CHECK(FirstLineError("HYBRID_TRANSFORMER ep: 1") ==
          "t.txt:1: ends before the size of a model-parallel group");
}

TEST_CASE("Text settings: SimAI's are read where they say nothing else", "[unit][workload]")
{
    const std::string start = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ";
    const TextFile file = ReadFirstLine(start + "ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 8 checkpoints: "
                                                "0 checkpoint_initiates: 0 pp_comm 4096");
    CHECK(file.modelRanks == 2);
    CHECK(file.ranks == 8U);
    const std::string name = GENERATE("ep:", "pp:", "ga:");
    CHECK(FirstLineError(start + name + " 2") ==
          "t.txt:1: " + name +
              " 2 asks for groups or steps of SimAI's dialect, which are not simulated; write 1, "
              "or make the job by model: transformer");
}

TEST_CASE("Text settings: a file that says how many ranks it is of runs on no others",
          "[unit][workload]")
{
    const ScratchDirectory scratch("text-ranks");
    const std::string file = scratch.Write(
        "w.txt", WithFirstLine("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 8"));
    const auto error = [&file](uint32_t ranks) {
        return ConfigErrorText([&] { MakeModelJob("text", {{"file", file}}, {ranks, {ranks}}); });
    };
    CHECK(error(8) == "");
    CHECK(error(16) == "file: is of a job of 8 ranks (all_gpus:), and this one has 16; write as "
                       "many ranks");
}
