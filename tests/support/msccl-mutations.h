// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"
#include "tests/support/draws.h"
#include "tests/support/msccl-programs.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// `text` with the steps of `algorithm`, which has the same GPUs and thread blocks, in place of its
/// own. Requires: each <gpu>, <tb> and <step> has a line.
inline std::string
WithSteps(const std::string& text, const MscclAlgorithm& algorithm)
{
    const char* const types[] = {"s", "r", "rcs", "rrc", "rrs", "rrcs", "cpy", "re", "nop"};
    const auto placeText = [](const MscclPlace& place)
    {
        const char* const buffers[] = {"i ", "o ", "s "};
        return buffers[static_cast<size_t>(place.buffer)] + std::to_string(place.chunk);
    };
    std::istringstream lines(text);
    std::string written;
    size_t gpu = 0;
    size_t block = 0;
    for (std::string line; std::getline(lines, line);)
    {
        if (line.find("<step") != std::string::npos)
        {
            continue;
        }
        written += line + '\n';
        if (line.find("<tb ") != std::string::npos)
        {
            uint32_t number = 0;
            for (const MscclStep& step : algorithm.gpus[gpu].blocks[block++].steps)
            {
                const auto waited = step.waitsFor;
                written += FormatStep(number++,
                                      {.type = types[static_cast<size_t>(step.action)],
                                       .source = placeText(step.source),
                                       .destination = placeText(step.destination),
                                       .block = waited ? std::to_string(waited->block) : "-1",
                                       .step = waited ? std::to_string(waited->step) : "-1",
                                       .count = step.count});
            }
        }
        if (line.find("</gpu>") != std::string::npos)
        {
            ++gpu;
            block = 0;
        }
    }
    return written;
}

/// Makes single mistakes in an algorithm of a file.
class MscclMutator
{
  public:
    MscclMutator(MscclAlgorithm& algorithm, Draws& draws)
        : m_algorithm(algorithm)
        , m_draws(draws)
    {
    }

    /// One mistake of a kind that is drawn; its name. Empty: there was nothing to change.
    std::string Mutate()
    {
        const auto gpu = static_cast<uint32_t>(m_draws.Below(m_algorithm.gpus.size()));
        auto& blocks = m_algorithm.gpus[gpu].blocks;
        if (blocks.empty())
        {
            return "";
        }
        const auto block = static_cast<uint32_t>(m_draws.Below(blocks.size()));
        auto& steps = blocks[block].steps;
        if (steps.empty())
        {
            return "";
        }
        const auto step = static_cast<uint32_t>(m_draws.Below(steps.size()));
        switch (m_draws.Below(8))
        {
        case 0:
            Erase(gpu, {block, step});
            return "a step is dropped";
        case 1:
            Repeat(gpu, {block, step});
            return "a step is doubled";
        case 2:
            std::swap(steps[step], steps[m_draws.Below(steps.size())]);
            return "two steps are swapped";
        case 3:
            return LeaveOutWait(steps[step]);
        case 4:
            return MoveWait(steps[step]);
        case 5:
            return MoveOffset(gpu, steps[step]);
        case 6:
            return ChangeMessage(gpu, {block, step});
        default:
            return MixSumAndCopy(steps[step]);
        }
    }

  private:
    /// Waits keep their step, or the one before it where that is gone.
    void Erase(uint32_t gpu, MscclStepId id)
    {
        auto& steps = m_algorithm.gpus[gpu].blocks[id.block].steps;
        steps.erase(steps.begin() + id.step);
        ForWaits(gpu,
                 [id](MscclStep& step)
                 {
                     if (step.waitsFor->block != id.block || step.waitsFor->step < id.step)
                     {
                         return;
                     }
                     if (step.waitsFor->step == 0)
                     {
                         step.waitsFor.reset();
                         return;
                     }
                     --step.waitsFor->step;
                 });
    }

    void Repeat(uint32_t gpu, MscclStepId id)
    {
        auto& steps = m_algorithm.gpus[gpu].blocks[id.block].steps;
        steps.insert(steps.begin() + id.step, MscclStep(steps[id.step]));
        ForWaits(gpu,
                 [id](MscclStep& step)
                 {
                     const bool isLater =
                         step.waitsFor->block == id.block && step.waitsFor->step >= id.step;
                     step.waitsFor->step += isLater ? 1 : 0;
                 });
    }

    template <class Change>
    void ForWaits(uint32_t gpu, const Change& change)
    {
        for (MscclThreadBlock& block : m_algorithm.gpus[gpu].blocks)
        {
            for (MscclStep& step : block.steps)
            {
                if (step.waitsFor)
                {
                    change(step);
                }
            }
        }
    }

    static std::string LeaveOutWait(MscclStep& step)
    {
        const bool waited = step.waitsFor.has_value();
        step.waitsFor.reset();
        return waited ? "a wait is left out" : "";
    }

    static std::string MoveWait(MscclStep& step)
    {
        if (!step.waitsFor || step.waitsFor->step == 0)
        {
            return "";
        }
        --step.waitsFor->step;
        return "a wait is for the step before";
    }

    std::string MoveOffset(uint32_t gpu, MscclStep& step)
    {
        const bool isSource =
            HasSource(step.action) && (!HasDestination(step.action) || m_draws.Below(2) == 0);
        if (!isSource && !HasDestination(step.action))
        {
            return "";
        }
        MscclPlace& place = isSource ? step.source : step.destination;
        const uint32_t chunks = m_algorithm.gpus[gpu].chunks[static_cast<size_t>(place.buffer)];
        const uint32_t choices = chunks < step.count ? 1 : chunks - step.count + 1;
        if (choices > 1)
        {
            place.chunk =
                static_cast<uint32_t>((place.chunk + 1 + m_draws.Below(choices - 1)) % choices);
        }
        return choices > 1 ? "an offset is moved" : "";
    }

    /// Both ends of a message are dropped, or doubled.
    std::string ChangeMessage(uint32_t gpu, MscclStepId id)
    {
        const MscclThreadBlock& sending = m_algorithm.gpus[gpu].blocks[id.block];
        // Of fused steps only one end would go.
        if (sending.steps[id.step].action != MscclAction::Send)
        {
            return "";
        }
        size_t before = 0;
        for (uint32_t step = 0; step < id.step; ++step)
        {
            before += Sends(sending.steps[step].action) ? 1 : 0;
        }
        const uint32_t peer = *sending.sendPeer;
        const auto& blocks = m_algorithm.gpus[peer].blocks;
        for (uint32_t block = 0; block < blocks.size(); ++block)
        {
            const bool isEnd =
                blocks[block].receivePeer == gpu && blocks[block].channel == sending.channel;
            for (uint32_t step = 0; isEnd && step < blocks[block].steps.size(); ++step)
            {
                if (Receives(blocks[block].steps[step].action) && before-- == 0)
                {
                    return ChangeEnds(gpu, id, peer, {block, step});
                }
            }
        }
        return "";
    }

    std::string ChangeEnds(uint32_t gpu, MscclStepId sends, uint32_t peer, MscclStepId receives)
    {
        const MscclStep& end = m_algorithm.gpus[peer].blocks[receives.block].steps[receives.step];
        if (Sends(end.action))
        {
            return "";
        }
        if (m_draws.Below(2) == 0)
        {
            Erase(gpu, sends);
            Erase(peer, receives);
            return "a message is dropped";
        }
        Repeat(gpu, sends);
        Repeat(peer, receives);
        return "a message is doubled";
    }

    static std::string MixSumAndCopy(MscclStep& step)
    {
        switch (step.action)
        {
        case MscclAction::Receive:
            step.action = MscclAction::ReceiveReduceCopy;
            step.source = step.destination;
            break;
        case MscclAction::ReceiveReduceCopy:
            step.action = MscclAction::Receive;
            break;
        case MscclAction::ReceiveReduceCopySend:
            step.action = MscclAction::ReceiveCopySend;
            break;
        case MscclAction::Copy:
            step.action = MscclAction::Reduce;
            break;
        case MscclAction::Reduce:
            step.action = MscclAction::Copy;
            break;
        default:
            return "";
        }
        return "a sum in place of a copy, or the other way round";
    }

    MscclAlgorithm& m_algorithm;
    Draws& m_draws;
};

} // namespace nadi::test
