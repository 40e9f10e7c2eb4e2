// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// Where the ranks of a program keep the chunks of a collective.
///
/// The collective's whole buffer (of an all-to-all: the row of a rank) is cut into `chunks` parts
/// by the division rule (docs/semantics.md 3). A rank has numbered *places*, each with room for one
/// chunk:
/// * [0, chunks): the whole buffer. The result is here in the end: chunk j at place j; after an
///   all-to-all, place j has part j mod (chunks / ranks) of what rank j / (chunks / ranks) sent.
/// * If the collective is not in place, [chunks, 2 chunks): what the rank has at first, chunk j at
///   place chunks + j. In place, that is at place j.
/// * Then `scratch` places, which hold nothing at first.
struct ProgramBuffers
{
    CollectiveType type = CollectiveType::AllReduce;
    uint32_t ranks = 1;
    uint32_t root = 0; ///< of collectives that have one
    uint32_t chunks = 1;
    bool isInPlace = true;
    uint32_t scratch = 0;

    /// Of a shard, or of what one rank sends another. Requires: `ranks` divides `chunks`.
    uint32_t ChunksOfShard() const
    {
        return chunks / ranks;
    }

    /// The place of chunk 0 before the collective.
    uint32_t InputBegin() const
    {
        return isInPlace ? 0 : chunks;
    }

    uint32_t ScratchBegin() const
    {
        return isInPlace ? chunks : 2 * chunks;
    }

    uint32_t Places() const
    {
        return ScratchBegin() + scratch;
    }
};

/// Chunks [begin, end).
struct ChunkRange
{
    uint32_t begin = 0;
    uint32_t end = 0;

    bool operator==(const ChunkRange&) const = default;
};

/// What `rank` has before the collective; all-to-all: of its own row.
ChunkRange InputChunks(const ProgramBuffers& buffers, uint32_t rank);

/// What `rank` must have after it; all-to-all: places of the result.
ChunkRange OutputChunks(const ProgramBuffers& buffers, uint32_t rank);

/// Which chunk (all-to-all: of some rank's row) belongs at a place of `rank` that is not scratch.
uint32_t ChunkAt(const ProgramBuffers& buffers, uint32_t rank, uint32_t place);

/// Whether ranks have, get or exchange parts of the buffer, so that chunks belong to ranks.
bool IsCutByRank(CollectiveType type);

/// Whether what ranks have in the end is the sum of what several had.
bool IsReduction(CollectiveType type);

/// One step of a lane, 16 bytes. It works on `count` places in a row.
struct ProgramStep
{
    enum class Action : uint8_t
    {
        Send,          ///< what the places hold; complete once it is posted
        Receive,       ///< into the places
        ReceiveReduce, ///< adds what comes to what the places hold
        Copy,          ///< the places `operand`, ... to the places
        Reduce,        ///< adds the places `operand`, ... to the places
        SendAndWait,   ///< as Send, but complete once it is delivered
        Work,          ///< takes `operand` ns, and touches nothing
        Nothing,       ///< only waits
    };

    static constexpr uint32_t NONE = UINT32_MAX;

    uint32_t place = 0;
    uint32_t count : 24 = 0;
    Action action : 8 = Action::Nothing;
    /// Send, Receive, ReceiveReduce: the number of the message among those of its way from one rank
    /// to another on a channel, from 0. Copy, Reduce: the first place that is read.
    uint32_t operand = 0;
    /// A step of the same rank that is complete before this one begins, by its number through all
    /// lanes of the rank; or NONE. A step that waits for several has steps of Nothing before it.
    uint32_t after = NONE;

    bool Sends() const
    {
        return action == Action::Send || action == Action::SendAndWait;
    }

    bool Receives() const
    {
        return action == Action::Receive || action == Action::ReceiveReduce;
    }

    bool IsLocal() const
    {
        return action == Action::Copy || action == Action::Reduce;
    }
};

static_assert(sizeof(ProgramStep) == 16, "plans of thousands of ranks have tens of millions");

/// Steps of a rank that run one after the other, beside its other lanes. Its messages leave for one
/// rank and come from one rank.
struct ProgramLane
{
    static constexpr uint32_t NOBODY = UINT32_MAX;

    uint32_t sendPeer = NOBODY;
    uint32_t receivePeer = NOBODY;
    /// With the two ranks it names the way of a message; below 2^24. The lane's index may differ at
    /// the other end.
    uint32_t channel = 0;
    uint32_t firstStep = 0; ///< by its number through all lanes of the rank
};

/// Names a step of a program.
struct ProgramStepId
{
    uint32_t rank = 0;
    uint32_t lane = 0;
    uint32_t step = 0; ///< in the lane

    auto operator<=>(const ProgramStepId&) const = default;
};

/// What each rank of a group does in one collective, stored step by step: what synthesis makes, and
/// what a file of a collective algorithm says.
///
/// All lanes of a rank run at any time. The k-th message that a lane sends to a rank on a channel
/// is the k-th that the lane at the other end receives. The order of a lane's sends is part of the
/// program: a message is posted once it and all before it in its lane may be.
///
/// Nothing here is checked but what ProgramBuilder says; FindProgramFault proves the rest.
/// Immutable. 16 bytes a step, 16 bytes a lane.
class MessageProgram
{
  public:
    const ProgramBuffers& Buffers() const
    {
        return m_buffers;
    }

    uint32_t LaneCount(uint32_t rank) const
    {
        return m_firstLane[rank + 1] - m_firstLane[rank];
    }

    const ProgramLane& LaneAt(uint32_t rank, uint32_t lane) const
    {
        return m_lanes[m_firstLane[rank] + lane];
    }

    std::span<const ProgramStep> StepsOf(uint32_t rank, uint32_t lane) const;

    /// A number of the lane among those of all ranks, below AllLanes().
    uint32_t LaneNumber(uint32_t rank, uint32_t lane) const
    {
        return m_firstLane[rank] + lane;
    }

    uint32_t AllLanes() const
    {
        return m_firstLane.back();
    }

    /// A number of a step among those of all ranks, below StepCount(). `number`: through all lanes
    /// of the rank.
    size_t StepNumber(uint32_t rank, uint32_t number) const
    {
        return m_firstStep[rank] + number;
    }

    /// The lane and step that ProgramStep::after names.
    ProgramStepId StepNumbered(uint32_t rank, uint32_t number) const;

    /// Of all ranks.
    size_t StepCount() const
    {
        return m_steps.size();
    }

    /// Whether messages have sizes of their own, in place of those of chunks: of a file that says
    /// no more. Such a program has one chunk and cannot be proven.
    bool HasSizes() const
    {
        return !m_sizes.empty();
    }

    /// In bytes; of a message that has its own. `number`: through all lanes of the rank.
    uint64_t SizeOf(uint32_t rank, uint32_t number) const
    {
        return m_sizes[StepNumber(rank, number)];
    }

    /// Which chunk a place holds when the step works on it: the one that its length follows from.
    uint32_t ChunkOf(uint32_t rank, uint32_t number) const;

  private:
    friend class ProgramBuilder;

    uint32_t StepCountOf(uint32_t rank) const
    {
        return static_cast<uint32_t>(m_firstStep[rank + 1] - m_firstStep[rank]);
    }

    ProgramBuffers m_buffers;
    std::vector<uint32_t> m_firstLane; // by rank, and the end
    std::vector<size_t> m_firstStep;   // likewise
    std::vector<ProgramLane> m_lanes;
    std::vector<ProgramStep> m_steps;
    std::vector<uint32_t> m_chunks; // by step; empty: a place holds the chunk of its number
    std::vector<uint64_t> m_sizes;  // by step, in bytes; empty: sizes are those of chunks
};

} // namespace nadi
