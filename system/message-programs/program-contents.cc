// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-contents.h"

#include "common/check.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr uint32_t MOST_RANKS_OF_SETS = 64;

} // namespace

std::string
DescribePlace(const ProgramBuffers& buffers, uint32_t place)
{
    if (place >= buffers.ScratchBegin())
    {
        return fmt::format("scratch chunk {}", place - buffers.ScratchBegin());
    }
    if (place >= buffers.chunks)
    {
        return fmt::format("chunk {} of the input", place - buffers.chunks);
    }
    return fmt::format("chunk {} of the {}", place, buffers.isInPlace ? "buffer" : "output");
}

ProgramContents::ProgramContents(const MessageProgram& program, const ProgramChannels& channels)
    : m_program(program)
    , m_channels(channels)
    , m_buffers(program.Buffers())
    , m_chunks(size_t{m_buffers.ranks} * m_buffers.Places(), EMPTY)
    , m_underWay(program.AllLanes())
{
    // The chunks of an all-to-all are numbered through the rows of all ranks (Own). EMPTY must be
    // none of these numbers.
    NADI_CHECK(uint64_t{m_buffers.ranks} * m_buffers.chunks < EMPTY);
    // In collectives that reduce nothing a place holds what one rank had, whole. There are no parts
    // to keep account of, so the largest tables stay empty.
    if (IsReduction(m_buffers.type))
    {
        m_sums.resize(m_chunks.size());
        m_onlySend.resize(size_t{m_buffers.ranks} * m_buffers.chunks, NEVER);
    }
    for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
    {
        m_all += PartOfRank(rank);
    }
    Fill();
}

void
ProgramContents::Fill()
{
    for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
    {
        const ChunkRange input = InputChunks(m_buffers, rank);
        for (uint32_t chunk = input.begin; chunk < input.end; ++chunk)
        {
            Write(rank, m_buffers.InputBegin() + chunk, Own(rank, chunk));
        }
    }
}

/// What a rank has of a chunk before anything is sent: its own part alone.
ProgramContents::Held
ProgramContents::Own(uint32_t rank, uint32_t chunk) const
{
    const bool hasRows = m_buffers.type == CollectiveType::AllToAll;
    return {.chunk = hasRows ? rank * m_buffers.chunks + chunk : chunk,
            .sum = HasSums() ? PartOfRank(rank) : 0};
}

ProgramContents::Sum
ProgramContents::PartOfRank(uint32_t rank) const
{
    if (m_buffers.ranks <= MOST_RANKS_OF_SETS)
    {
        return Sum{1} << rank;
    }
    // This is a hash of the rank and no random number, so that a program is judged alike in each
    // run.
    const uint64_t low = Hash64({m_buffers.ranks, rank});
    return Sum{Mix64(~low)} << 64 | low;
}

ProgramContents::Held
ProgramContents::Read(uint32_t rank, uint32_t place) const
{
    const size_t cell = CellOf(rank, place);
    return {.chunk = m_chunks[cell], .sum = HasSums() ? m_sums[cell] : 0};
}

void
ProgramContents::Write(uint32_t rank, uint32_t place, const Held& held)
{
    const size_t cell = CellOf(rank, place);
    m_chunks[cell] = held.chunk;
    if (HasSums())
    {
        m_sums[cell] = held.sum;
    }
}

std::optional<std::string>
ProgramContents::Apply(const ProgramStepId& id, const ProgramStep& step)
{
    switch (step.action)
    {
    case ProgramStep::Action::Send:
    case ProgramStep::Action::SendAndWait:
        return Send(id, step);
    case ProgramStep::Action::Receive:
    case ProgramStep::Action::ReceiveReduce:
        return Receive(id, step);
    case ProgramStep::Action::Copy:
    case ProgramStep::Action::Reduce:
        return Work(id, step);
    case ProgramStep::Action::Work:
    case ProgramStep::Action::Nothing:
        break;
    }
    return std::nullopt;
}

std::optional<std::string>
ProgramContents::Send(const ProgramStepId& id, const ProgramStep& step)
{
    UnderWay& underWay = m_underWay[m_program.LaneNumber(id.rank, id.lane)];
    for (uint32_t offset = 0; offset < step.count; ++offset)
    {
        // What the place holds at this visit is what leaves in any run: ProgramAccesses shows that
        // every change of the place has a forced order with this step.
        const Held held = Read(id.rank, step.place + offset);
        if (held.chunk == EMPTY)
        {
            return fmt::format("it sends {}, which holds nothing yet",
                               DescribePlace(m_buffers, step.place + offset));
        }
        if (HasSums())
        {
            NoteSend(id, held.chunk);
        }
        underWay.chunks.push_back(held);
    }
    return std::nullopt;
}

std::optional<std::string>
ProgramContents::Receive(const ProgramStepId& id, const ProgramStep& step)
{
    const ProgramLaneId sender = m_channels.SenderFor(id.rank, id.lane);
    UnderWay& underWay = m_underWay[m_program.LaneNumber(sender.rank, sender.lane)];
    for (uint32_t offset = 0; offset < step.count; ++offset)
    {
        const bool isReduced = step.action == ProgramStep::Action::ReceiveReduce;
        // The list has an entry left: the walk visits a receive after its send, and both have as
        // many chunks (ProgramChannels). Messages of a way are received in the order in which they
        // were sent.
        const Held& held = underWay.chunks[underWay.first++];
        if (auto fault = Put(id, step.place + offset, held, isReduced))
        {
            return fault;
        }
    }
    if (underWay.first * 2 >= underWay.chunks.size()) // so each is moved once in the mean
    {
        underWay.chunks.erase(underWay.chunks.begin(),
                              underWay.chunks.begin() + static_cast<ptrdiff_t>(underWay.first));
        underWay.first = 0;
    }
    return std::nullopt;
}

std::optional<std::string>
ProgramContents::Work(const ProgramStepId& id, const ProgramStep& step)
{
    const bool isReduced = step.action == ProgramStep::Action::Reduce;
    for (uint32_t offset = 0; offset < step.count; ++offset)
    {
        const Held held = Read(id.rank, step.operand + offset);
        if (held.chunk == EMPTY)
        {
            return fmt::format("it reads {}, which holds nothing yet",
                               DescribePlace(m_buffers, step.operand + offset));
        }
        if (auto fault = Put(id, step.place + offset, held, isReduced))
        {
            return fault;
        }
    }
    return std::nullopt;
}

/// Writes what came, or adds it to what is there. A sum needs the same chunk on both sides, and no
/// rank twice.
std::optional<std::string>
ProgramContents::Put(const ProgramStepId& id, uint32_t place, const Held& held, bool isReduced)
{
    if (!isReduced)
    {
        Write(id.rank, place, held);
        return std::nullopt;
    }
    Held sum = Read(id.rank, place);
    if (sum.chunk == EMPTY)
    {
        return fmt::format("it reduces into {}, which holds nothing yet",
                           DescribePlace(m_buffers, place));
    }
    if (!HasSums())
    {
        return fmt::format("it reduces, but {} has no sums", ToText(m_buffers.type));
    }
    if (sum.chunk != held.chunk)
    {
        return fmt::format("it reduces chunk {} into {}, which holds chunk {}",
                           held.chunk,
                           DescribePlace(m_buffers, place),
                           sum.chunk);
    }
    // Beyond 64 ranks a sum does not tell whether a part is in it twice. Such a sum is found in the
    // end, since it differs from that of all ranks.
    if (m_buffers.ranks <= MOST_RANKS_OF_SETS && (sum.sum & held.sum) != 0)
    {
        return fmt::format("it reduces into {} what has a part of it already",
                           DescribePlace(m_buffers, place));
    }
    // Up to 64 ranks the sets are disjoint here, so adding joins them.
    sum.sum += held.sum;
    Write(id.rank, place, sum);
    return std::nullopt;
}

ProgramContents::Held
ProgramContents::Promised(uint32_t rank, uint32_t place) const
{
    if (m_buffers.type == CollectiveType::AllToAll)
    {
        const uint32_t shard = m_buffers.ChunksOfShard();
        // Place j of the result is what rank j / shard had for this rank.
        return Own(place / shard, rank * shard + place % shard);
    }
    return {.chunk = place, .sum = HasSums() ? m_all : 0};
}

std::optional<std::pair<uint32_t, std::string>>
ProgramContents::FindBrokenPromise() const
{
    for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
    {
        // The collective promises nothing about scratch, a separate input, or the shards of others.
        const ChunkRange output = OutputChunks(m_buffers, rank);
        for (uint32_t place = output.begin; place < output.end; ++place)
        {
            const Held held = Read(rank, place);
            const Held promised = Promised(rank, place);
            const std::string where = DescribePlace(m_buffers, place);
            if (held.chunk == EMPTY)
            {
                return std::pair(rank, fmt::format("in the end {} holds nothing", where));
            }
            if (held.chunk != promised.chunk)
            {
                return std::pair(rank, fmt::format("in the end {} holds another chunk", where));
            }
            if (held.sum != promised.sum)
            {
                return std::pair(rank,
                                 fmt::format("in the end {} is not the sum of all ranks", where));
            }
        }
    }
    return std::nullopt;
}

void
ProgramContents::NoteSend(const ProgramStepId& id, uint32_t chunk)
{
    uint32_t& only = m_onlySend[size_t{id.rank} * m_buffers.chunks + chunk];
    const uint32_t step = m_program.LaneAt(id.rank, id.lane).firstStep + id.step;
    // A step that sends several places may send a chunk twice, and still be the only one to send
    // it.
    only = only == NEVER || only == step ? step : OFTEN;
}

std::optional<uint32_t>
ProgramContents::OnlySendOfWhole(uint32_t rank, uint32_t place) const
{
    const Held held = HasSums() ? Read(rank, place) : Held{};
    if (held.chunk == EMPTY || held.sum != m_all)
    {
        return std::nullopt;
    }
    const uint32_t only = m_onlySend[size_t{rank} * m_buffers.chunks + held.chunk];
    return only == NEVER || only == OFTEN ? std::nullopt : std::optional(only);
}

} // namespace nadi
