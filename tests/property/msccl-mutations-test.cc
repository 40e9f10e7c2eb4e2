// SPDX-License-Identifier: GPL-2.0-only
// Does the proof refuse every change of a file of MSCCL that changes data?
#include "common/error.h"
#include "system/library/msccl-file/msccl-file.h"
#include "system/message-programs/msccl-program.h"
#include "system/message-programs/msccl-writer.h"
#include "system/message-programs/plan-program.h"
#include "tests/support/case-count.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/msccl-interpreter.h"
#include "tests/support/msccl-mutations.h"
#include "tests/support/mutation-count.h"
#include "tests/support/symbolic-cost.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The text of a valid file.
struct ValidFile
{
    std::string name;
    CollectiveType type;
    std::string text;
};

std::vector<ValidFile>
ListValidFiles()
{
    std::vector<ValidFile> files{
        {"hand-made ring", CollectiveType::AllGather, MakeAllGatherRing(4)},
        {"hand-made exchange", CollectiveType::AllReduce, MakeExchange()},
        {"hand-made passing", CollectiveType::ReduceScatter, MakeReduceScatterRing()}};
    for (const CollectiveType type :
         {CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter})
    {
        for (const std::string& name : EndpointAlgorithmsFor(type))
        {
            const PlanRequest request{.type = type, .ranks = 4, .elements = 8};
            const auto plan = symbolic::MakePlan(name, request);
            files.push_back({name, type, WriteMsccl(MakePlanProgram(*plan, request), name)});
        }
    }
    return files;
}

/// All outputs after a run in some order; none: it never ends.
std::optional<std::vector<MscclInterpreter::Symbols>>
RunFile(const MscclAlgorithm& algorithm, uint32_t seed)
{
    MscclInterpreter interpreter(algorithm, seed);
    if (!interpreter.Run())
    {
        return std::nullopt;
    }
    const bool isScattered = algorithm.collective == CollectiveType::ReduceScatter;
    const auto gpus = static_cast<uint32_t>(algorithm.gpus.size());
    const uint32_t chunks = isScattered ? algorithm.chunks / gpus : algorithm.chunks;
    std::vector<MscclInterpreter::Symbols> outputs;
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    {
        for (uint32_t chunk = 0; chunk < chunks; ++chunk)
        {
            outputs.push_back(interpreter.Output(gpu, chunk));
        }
    }
    return outputs;
}

/// What was read of a mutated text; none: its reader or the proof refused it.
std::optional<MscclAlgorithm>
ReadMutated(const std::string& text, CollectiveType type)
{
    try
    {
        MscclAlgorithm algorithm = ParseMscclAlgorithm(text, "mutated.xml");
        MakeMscclProgram(algorithm, type);
        return algorithm;
    }
    catch (const ConfigError&)
    {
        return std::nullopt;
    }
}

std::string
FindOtherResult(const MscclAlgorithm& mutated, const MscclAlgorithm& valid, uint32_t orders)
{
    const auto expected = RunFile(valid, 1);
    for (uint32_t seed = 1; seed <= orders; ++seed)
    {
        if (RunFile(mutated, seed) != expected)
        {
            return "the result is another one";
        }
    }
    return "";
}

} // namespace

TEST_CASE("MSCCL files: the proof refuses every mutation that changes data", "[property][programs]")
{
    MutationCount count;
    const uint32_t mutations = CaseCount{.reduced = 20, .normal = 120, .full = 3000}.Pick();
    for (const ValidFile& file : ListValidFiles())
    {
        const MscclAlgorithm valid = ParseMscclAlgorithm(file.text, "valid.xml");
        REQUIRE(ReadMutated(WithSteps(file.text, valid), file.type));
        CHECK(FindOtherResult(valid, valid, 30) == "");
        Draws draws(Hash64({FirstSeed(), file.text.size()}));
        for (uint32_t mutation = 0; mutation < mutations; ++mutation)
        {
            MscclAlgorithm algorithm = valid;
            const std::string name = MscclMutator(algorithm, draws).Mutate();
            const auto read = ReadMutated(WithSteps(file.text, algorithm), file.type);
            INFO(file.name << ", " << ToText(file.type) << ", mutation " << mutation);
            count.Add(name, !read, FindOtherResult(read ? *read : algorithm, valid, read ? 60 : 6));
        }
    }
    count.CheckAll();
}
