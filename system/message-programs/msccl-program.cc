// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/msccl-program.h"

#include "common/error.h"
#include "system/message-programs/msccl-chunks.h"
#include "system/message-programs/msccl-places.h"
#include "system/message-programs/program-builder.h"
#include "system/message-programs/program-proof.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

// A thread block of the file becomes a lane, and each of its steps one to four steps of the program
// (Expand). A wait may name a thread block that comes later, and the program numbers steps through
// all lanes of a rank. So each GPU is gone through twice: NumberSteps counts, AddBlock writes. What
// the program does is then proven, and a fault is told at the line of the file that its step came
// from (Origin).

using Action = ProgramStep::Action;

/// Places that the steps of one step of a file work on.
struct StepPlaces
{
    uint32_t source = 0;
    uint32_t destination = 0;
    uint32_t own = 0;
};

/// The steps of a program that do what a step of a file does, in order.
std::vector<ProgramStep>
Expand(const MscclStep& step, const StepPlaces& at)
{
    const auto make = [&](Action action, uint32_t place, uint32_t from = 0)
    {
        ProgramStep made;
        made.place = place;
        made.count = step.count & 0xffffffU;
        made.action = action;
        made.operand = from;
        return made;
    };
    const bool hasOwn = NeedsOwnPlace(step);
    std::vector<ProgramStep> steps;
    switch (step.action)
    {
    case MscclAction::Send:
        return {make(Action::Send, at.source)};
    case MscclAction::Receive:
        return {make(Action::Receive, at.destination)};
    case MscclAction::ReceiveCopySend:
        return {make(Action::Receive, at.destination), make(Action::Send, at.destination)};
    case MscclAction::Copy:
        return {make(Action::Copy, at.destination, at.source)};
    case MscclAction::Reduce:
        return {make(Action::Reduce, at.destination, at.source)};
    case MscclAction::Nothing:
        return {ProgramStep{}};
    case MscclAction::ReceiveReduceSend:
        // The file stores the sum nowhere, but a program can only send what some place holds.
        return {make(Action::Receive, at.own),
                make(Action::Reduce, at.own, at.source),
                make(Action::Send, at.own)};
    case MscclAction::ReceiveReduceCopy:
    case MscclAction::ReceiveReduceCopySend:
        break;
    }
    if (hasOwn)
    {
        steps = {make(Action::Receive, at.own),
                 make(Action::Reduce, at.own, at.source),
                 make(Action::Copy, at.destination, at.own)};
    }
    else
    {
        steps = {make(Action::ReceiveReduce, at.destination)};
    }
    if (Sends(step.action))
    {
        steps.push_back(make(Action::Send, at.destination));
    }
    return steps;
}

/// Writes the program of a file, and remembers where its steps come from.
class MscclCompiler
{
  public:
    MscclCompiler(const MscclAlgorithm& algorithm, CollectiveType type)
        : m_algorithm(algorithm)
        , m_places(algorithm, type)
        , m_chunks(FindMscclChunks(algorithm, m_places))
        , m_builder(m_places.Buffers())
    {
    }

    MessageProgram Compile() &&
    {
        for (uint32_t gpu = 0; gpu < m_algorithm.gpus.size(); ++gpu)
        {
            m_builder.BeginRank();
            NumberSteps(gpu);
            for (uint32_t block = 0; block < m_algorithm.gpus[gpu].blocks.size(); ++block)
            {
                AddBlock(gpu, block);
            }
        }
        MessageProgram program = std::move(m_builder).Finish();
        Prove(program);
        return program;
    }

  private:
    std::vector<ProgramStep> StepsFor(uint32_t gpu, uint32_t block, const MscclStep& step) const
    {
        StepPlaces at{.own = m_places.OwnOf(gpu, block)};
        at.source = HasSource(step.action) ? m_places.PlaceOf(gpu, step.source) : 0;
        at.destination = HasDestination(step.action) ? m_places.PlaceOf(gpu, step.destination) : 0;
        return Expand(step, at);
    }

    /// The number of the last step that each step of the file becomes.
    void NumberSteps(uint32_t gpu)
    {
        m_last.clear();
        uint32_t next = 0;
        for (const MscclThreadBlock& block : m_algorithm.gpus[gpu].blocks)
        {
            std::vector<uint32_t>& last = m_last.emplace_back();
            for (const MscclStep& step : block.steps)
            {
                // The step of the file alone says how many steps it becomes, so no places are
                // needed.
                next += static_cast<uint32_t>(Expand(step, {}).size());
                last.push_back(next - 1);
            }
        }
    }

    void AddBlock(uint32_t gpu, uint32_t block)
    {
        const MscclThreadBlock& of = m_algorithm.gpus[gpu].blocks[block];
        m_builder.BeginLane({.sendPeer = of.sendPeer.value_or(ProgramLane::NOBODY),
                             .receivePeer = of.receivePeer.value_or(ProgramLane::NOBODY),
                             .channel = of.channel});
        for (uint32_t number = 0; number < of.steps.size(); ++number)
        {
            const MscclStep& step = of.steps[number];
            std::vector<ProgramStep> steps = StepsFor(gpu, block, step);
            if (step.waitsFor)
            {
                // Each step of the file became one or more steps of the program. The first of those
                // that wait waits for the last of those that are waited for.
                steps.front().after = m_last[step.waitsFor->block][step.waitsFor->step];
            }
            for (const ProgramStep& made : steps)
            {
                m_builder.Add(made, m_chunks[gpu][block][number]);
            }
        }
    }

    /// The step of the file that a step of the program is of; none: its thread block has none.
    const MscclStep* Origin(const ProgramStepId& id) const
    {
        const MscclGpu& gpu = m_algorithm.gpus[id.rank];
        // A rank without any step is named by its lane 0 (FindProgramFault), which a GPU without
        // thread blocks does not have.
        if (id.lane >= gpu.blocks.size())
        {
            return nullptr;
        }
        size_t left = id.step;
        for (const MscclStep& step : gpu.blocks[id.lane].steps)
        {
            const size_t count = Expand(step, {}).size();
            if (left < count)
            {
                return &step;
            }
            left -= count;
        }
        return nullptr;
    }

    void Prove(const MessageProgram& program) const
    {
        const std::optional<ProgramFault> fault = FindProgramFault(program);
        if (!fault)
        {
            return;
        }
        const MscclStep* const step = Origin(fault->where);
        const auto& blocks = m_algorithm.gpus[fault->where.rank].blocks;
        std::string place = fmt::format("GPU {}", fault->where.rank);
        if (step != nullptr)
        {
            place += fmt::format(", thread block {}, step {}",
                                 fault->where.lane,
                                 step - blocks[fault->where.lane].steps.data());
        }
        throw ConfigError(step != nullptr ? m_algorithm.Where(step->line) : m_algorithm.source,
                          place + ": " + fault->what);
    }

    const MscclAlgorithm& m_algorithm;
    MscclPlaces m_places;
    MscclChunks m_chunks;
    ProgramBuilder m_builder;
    std::vector<std::vector<uint32_t>> m_last; // of the GPU, by thread block and step
};

} // namespace

MessageProgram
MakeMscclProgram(const MscclAlgorithm& algorithm, CollectiveType type)
{
    return MscclCompiler(algorithm, type).Compile();
}

} // namespace nadi
