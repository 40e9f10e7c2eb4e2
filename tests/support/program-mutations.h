// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/draft-program.h"
#include "tests/support/draws.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// A program as a draft that can be changed.
inline DraftProgram
DraftOf(const MessageProgram& program)
{
    DraftProgram draft(program.Buffers());
    for (uint32_t rank = 0; rank < program.Buffers().ranks; ++rank)
    {
        const uint32_t first = draft.names; // the steps of a rank have names in a row
        for (uint32_t lane = 0; lane < program.LaneCount(rank); ++lane)
        {
            draft.ranks[rank].push_back({.what = program.LaneAt(rank, lane), .steps = {}});
            for (const ProgramStep& step : program.StepsOf(rank, lane))
            {
                const bool waits = step.after != ProgramStep::NONE;
                draft.Add(draft.ranks[rank].back(),
                          step,
                          waits ? std::optional(first + step.after) : std::nullopt);
            }
        }
    }
    return draft;
}

/// Makes single mistakes in a draft, as a tool with a bug would.
class ProgramMutator
{
  public:
    ProgramMutator(DraftProgram& draft, Draws& draws)
        : m_draft(draft)
        , m_draws(draws)
    {
    }

    /// One mistake of a kind that is drawn; its name. Empty: there was nothing to change.
    std::string Mutate()
    {
        const auto step = DrawStep();
        if (!step)
        {
            return "";
        }
        switch (m_draws.Below(10))
        {
        case 0:
            return Drop(*step);
        case 1:
            return Double(*step);
        case 2:
            return Swap(*step);
        case 3:
            return LeaveOutWait(*step);
        case 4:
            return MoveWait(*step);
        case 5:
            return MoveOffset(*step);
        case 6:
            return MixSumAndCopy(*step);
        case 7:
            return DropMessage(*step);
        case 8:
            return DoubleMessage(*step);
        default:
            return MoveMessage(*step);
        }
    }

  private:
    /// A step of the draft.
    struct At
    {
        uint32_t rank;
        size_t lane;
        size_t step;
    };

    using Steps = std::vector<DraftProgram::Step>;

    Steps& StepsOf(const At& at)
    {
        return m_draft.ranks[at.rank][at.lane].steps;
    }

    ProgramStep& StepOf(const At& at)
    {
        return StepsOf(at)[at.step].what;
    }

    std::optional<At> DrawStep()
    {
        std::vector<At> all;
        for (uint32_t rank = 0; rank < m_draft.buffers.ranks; ++rank)
        {
            for (size_t lane = 0; lane < m_draft.ranks[rank].size(); ++lane)
            {
                for (size_t step = 0; step < m_draft.ranks[rank][lane].steps.size(); ++step)
                {
                    all.push_back({rank, lane, step});
                }
            }
        }
        return all.empty() ? std::nullopt : std::optional(all[m_draws.Below(all.size())]);
    }

    std::string Drop(const At& at)
    {
        Steps& steps = StepsOf(at);
        steps.erase(steps.begin() + static_cast<ptrdiff_t>(at.step));
        return "a step is dropped";
    }

    void Repeat(const At& at)
    {
        Steps& steps = StepsOf(at);
        DraftProgram::Step copy = steps[at.step];
        copy.name = m_draft.names++;
        steps.insert(steps.begin() + static_cast<ptrdiff_t>(at.step), copy);
    }

    std::string Double(const At& at)
    {
        Repeat(at);
        return "a step is doubled";
    }

    std::string Swap(const At& at)
    {
        Steps& steps = StepsOf(at);
        std::swap(steps[at.step], steps[m_draws.Below(steps.size())]);
        return "two steps are swapped";
    }

    std::string LeaveOutWait(const At& at)
    {
        Steps& steps = StepsOf(at);
        size_t step = at.step; // the next one that waits
        for (size_t passed = 0; passed < steps.size() && !steps[step].after; ++passed)
        {
            step = (step + 1) % steps.size();
        }
        const bool waited = steps[step].after.has_value();
        steps[step].after.reset();
        return waited ? "a wait is left out" : "";
    }

    std::string MoveWait(const At& at)
    {
        DraftProgram::Step& step = StepsOf(at)[at.step];
        if (!step.after || *step.after == 0)
        {
            return "";
        }
        *step.after -= 1;
        return "a wait is for the step before";
    }

    /// Another place than before, in which the chunks of the step have room.
    uint32_t DrawPlace(uint32_t place, uint32_t count)
    {
        const uint32_t choices = m_draft.buffers.Places() - count + 1;
        return choices == 1
                   ? place
                   : static_cast<uint32_t>((place + 1 + m_draws.Below(choices - 1)) % choices);
    }

    std::string MoveOffset(const At& at)
    {
        ProgramStep& step = StepOf(at);
        if (step.IsLocal() && m_draws.Below(2) == 0)
        {
            step.operand = DrawPlace(step.operand, step.count);
        }
        else if (step.count > 0)
        {
            step.place = DrawPlace(step.place, step.count);
        }
        return "an offset is moved";
    }

    std::string MixSumAndCopy(const At& at)
    {
        using Action = ProgramStep::Action;
        ProgramStep& step = StepOf(at);
        switch (step.action)
        {
        case Action::Receive:
            step.action = Action::ReceiveReduce;
            break;
        case Action::ReceiveReduce:
            step.action = Action::Receive;
            break;
        case Action::Copy:
            step.action = Action::Reduce;
            break;
        case Action::Reduce:
            step.action = Action::Copy;
            break;
        default:
            return "";
        }
        return "a sum in place of a copy, or the other way round";
    }

    /// The step that receives what a step sends.
    std::optional<At> FindReceiver(const At& sender)
    {
        if (!StepOf(sender).Sends())
        {
            return std::nullopt;
        }
        const ProgramLane& way = m_draft.ranks[sender.rank][sender.lane].what;
        size_t before = 0;
        for (size_t step = 0; step < sender.step; ++step)
        {
            before += StepsOf(sender)[step].what.Sends() ? 1 : 0;
        }
        const uint32_t rank = way.sendPeer;
        for (size_t lane = 0; lane < m_draft.ranks[rank].size(); ++lane)
        {
            const DraftProgram::Lane& of = m_draft.ranks[rank][lane];
            const bool isEnd = of.what.receivePeer == sender.rank && of.what.channel == way.channel;
            for (size_t step = 0; isEnd && step < of.steps.size(); ++step)
            {
                if (of.steps[step].what.Receives() && before-- == 0)
                {
                    return At{rank, lane, step};
                }
            }
        }
        return std::nullopt;
    }

    std::string DropMessage(const At& sender)
    {
        const auto receiver = FindReceiver(sender);
        if (!receiver)
        {
            return "";
        }
        Drop(sender);
        Drop(*receiver);
        return "a message is dropped";
    }

    std::string DoubleMessage(const At& sender)
    {
        const auto receiver = FindReceiver(sender);
        if (!receiver)
        {
            return "";
        }
        Repeat(sender);
        Repeat(*receiver);
        return "a message is doubled";
    }

    std::string MoveMessage(const At& sender)
    {
        const auto receiver = FindReceiver(sender);
        if (!receiver || StepOf(sender).place != StepOf(*receiver).place)
        {
            return "";
        }
        StepOf(sender).place = DrawPlace(StepOf(sender).place, StepOf(sender).count);
        StepOf(*receiver).place = StepOf(sender).place;
        return "a message is of another chunk";
    }

    DraftProgram& m_draft;
    Draws& m_draws;
};

} // namespace nadi::test
