// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/msccl-writer.h"

#include "common/error.h"
#include "system/message-programs/msccl-places.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace nadi
{

namespace
{

using Action = ProgramStep::Action;

/// What MSCCL calls a type. It has no barrier, which is written as an all-reduce. It has no word
/// for gather and scatter: `custom` is read as the type that the user asks for.
const char*
NameOf(CollectiveType type)
{
    switch (type)
    {
    case CollectiveType::AllReduce:
    case CollectiveType::Barrier:
        return "allreduce";
    case CollectiveType::AllGather:
        return "allgather";
    case CollectiveType::ReduceScatter:
        return "reduce_scatter";
    case CollectiveType::AllToAll:
        return "alltoall";
    case CollectiveType::Broadcast:
        return "broadcast";
    case CollectiveType::Reduce:
        return "reduce";
    default:
        return "custom";
    }
}

/// Requires: CheckAction let it pass, so only Nothing is left for the default.
const char*
NameOf(Action action)
{
    switch (action)
    {
    case Action::Send:
        return "s";
    case Action::Receive:
        return "r";
    case Action::ReceiveReduce:
        return "rrc";
    case Action::Copy:
        return "cpy";
    case Action::Reduce:
        return "re";
    default:
        return "nop";
    }
}

class MscclWriter
{
  public:
    MscclWriter(const MessageProgram& program, const std::string& name)
        : m_program(program)
        , m_buffers(program.Buffers())
        , m_name(name)
    {
    }

    std::string Write()
    {
        Add("<algo name=\"{}\" proto=\"Simple\" nchannels=\"{}\" nchunksperloop=\"{}\" "
            "ngpus=\"{}\" "
            "coll=\"{}\" inplace=\"{}\">\n",
            m_name,
            CountChannels(),
            m_buffers.chunks,
            m_buffers.ranks,
            NameOf(m_buffers.type),
            m_buffers.isInPlace ? 1 : 0);
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            AddGpu(rank);
        }
        m_text += "</algo>\n";
        return std::move(m_text);
    }

  private:
    template <class... Arguments>
    void Add(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Arguments>(arguments)...);
    }

    /// One more than the highest number: the reader refuses a channel that is not below the count.
    uint32_t CountChannels() const
    {
        uint32_t channels = 1;
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
            {
                channels = std::max(channels, m_program.LaneAt(rank, lane).channel + 1);
            }
        }
        return channels;
    }

    void AddGpu(uint32_t rank)
    {
        const ChunkRange input = InputChunks(m_buffers, rank);
        const ChunkRange output = OutputChunks(m_buffers, rank);
        // In place both buffers are one, but for collectives of which one is the rank's shard.
        const bool areOne = m_buffers.isInPlace && m_buffers.type != CollectiveType::AllGather &&
                            m_buffers.type != CollectiveType::ReduceScatter;
        Add("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n",
            rank,
            areOne ? m_buffers.chunks : input.end - input.begin,
            areOne ? m_buffers.chunks : output.end - output.begin,
            m_buffers.scratch);
        // A step has a mark (`hasdep`) if others wait for it, which MSCCL's runtime needs. Steps
        // that stand later may wait for it, so the marks are found before any step is written.
        const std::vector<bool> awaited = FindAwaited(rank);
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            AddBlock(rank, lane, awaited);
        }
        m_text += "  </gpu>\n";
    }

    /// By the number of the step through all lanes of the rank, as `after` counts them.
    std::vector<bool> FindAwaited(uint32_t rank) const
    {
        std::vector<bool> awaited;
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            awaited.resize(awaited.size() + m_program.StepsOf(rank, lane).size());
        }
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            for (const ProgramStep& step : m_program.StepsOf(rank, lane))
            {
                if (step.after != ProgramStep::NONE)
                {
                    awaited[step.after] = true;
                }
            }
        }
        return awaited;
    }

    void AddBlock(uint32_t rank, uint32_t lane, const std::vector<bool>& awaited)
    {
        const ProgramLane& of = m_program.LaneAt(rank, lane);
        const auto peer = [](uint32_t other)
        { return other == ProgramLane::NOBODY ? -1 : static_cast<int64_t>(other); };
        Add("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n",
            lane,
            peer(of.sendPeer),
            peer(of.receivePeer),
            of.channel);
        const auto steps = m_program.StepsOf(rank, lane);
        for (uint32_t number = 0; number < steps.size(); ++number)
        {
            AddStep(rank, number, steps[number], awaited[of.firstStep + number]);
        }
        m_text += "    </tb>\n";
    }

    void AddStep(uint32_t rank, uint32_t number, const ProgramStep& step, bool isAwaited)
    {
        CheckAction(step);
        int64_t block = -1;
        int64_t waited = -1;
        if (step.after != ProgramStep::NONE)
        {
            const ProgramStepId after = m_program.StepNumbered(rank, step.after);
            block = after.lane;
            waited = after.step;
        }
        const auto [buffer, offset] = PlaceText(rank, step.place);
        // A message has one place, written as source and destination. Where these are one, the
        // reader makes `rrc` a ReceiveReduce (NeedsOwnPlace).
        const auto [source, from] =
            step.IsLocal() ? PlaceText(rank, step.operand) : std::pair(buffer, offset);
        const bool isNothing = step.action == Action::Nothing;
        Add("      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
            "dstoff=\"{}\" cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
            number,
            NameOf(step.action),
            source,
            isNothing ? -1 : from,
            buffer,
            isNothing ? -1 : offset,
            isNothing ? 1 : uint32_t{step.count},
            block,
            waited,
            isAwaited ? 1 : 0);
    }

    /// In MSCCL sizes follow from chunks, a send is complete once it is posted, and no step takes a
    /// time of its own.
    void CheckAction(const ProgramStep& step) const
    {
        if (m_program.HasSizes() || step.action == Action::SendAndWait ||
            step.action == Action::Work)
        {
            throw ConfigError("",
                              "a program whose messages have sizes of their own, or whose "
                              "steps take a time, cannot be written as XML of MSCCL; write "
                              "--format chakra");
        }
    }

    /// The buffer and the chunk there.
    std::pair<char, int64_t> PlaceText(uint32_t rank, uint32_t place) const
    {
        if (place >= m_buffers.ScratchBegin())
        {
            return {'s', place - m_buffers.ScratchBegin()};
        }
        // In place, the larger of the two buffers is the whole.
        const bool isInput = m_buffers.isInPlace ? m_buffers.type != CollectiveType::AllGather
                                                 : place >= m_buffers.chunks;
        const MscclBuffer buffer = isInput ? MscclBuffer::Input : MscclBuffer::Output;
        return {isInput ? 'i' : 'o', int64_t{place} - FirstPlaceOf(m_buffers, buffer, rank)};
    }

    const MessageProgram& m_program;
    const ProgramBuffers& m_buffers;
    const std::string& m_name;
    std::string m_text;
};

} // namespace

std::string
WriteMsccl(const MessageProgram& program, const std::string& name)
{
    return MscclWriter(program, name).Write();
}

} // namespace nadi
