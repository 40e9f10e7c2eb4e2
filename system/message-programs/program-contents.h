// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "system/message-programs/message-program.h"
#include "system/message-programs/program-channels.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// What places hold: the number of a chunk, and whose parts are in its sum. In an all-to-all the
/// chunk of a row has another number for each row.
///
/// Up to 64 ranks a sum is the set of its ranks. Beyond, it is the sum of a 128-bit number for each
/// rank.
class ProgramContents
{
  public:
    using Sum = detail::UnsignedWide;

    /// Places hold what ranks have before the collective. The references outlive it.
    ProgramContents(const MessageProgram& program, const ProgramChannels& channels);

    /// Does what the step does; or says why it cannot. Steps come in an order that the program
    /// allows.
    std::optional<std::string> Apply(const ProgramStepId& id, const ProgramStep& step);

    /// What a rank holds in the end that is not what the collective promises, or lacks of it: the
    /// rank and what is wrong.
    std::optional<std::pair<uint32_t, std::string>> FindBrokenPromise() const;

    /// Where `rank` holds the sum of all ranks at `place`, and has sent something of that chunk in
    /// one step only: the number of the step through all lanes. Where a message brought the sum,
    /// that step comes before it, as nothing else took the part of the rank along.
    std::optional<uint32_t> OnlySendOfWhole(uint32_t rank, uint32_t place) const;

  private:
    static constexpr uint32_t EMPTY = UINT32_MAX;
    // In place of the number of a step.
    static constexpr uint32_t NEVER = UINT32_MAX;
    static constexpr uint32_t OFTEN = UINT32_MAX - 1;

    struct Held
    {
        uint32_t chunk = EMPTY;
        Sum sum = 0;
    };

    /// What was sent and not received, in order.
    struct UnderWay
    {
        std::vector<Held> chunks;
        size_t first = 0;
    };

    size_t CellOf(uint32_t rank, uint32_t place) const
    {
        return size_t{rank} * m_buffers.Places() + place;
    }

    void Fill();
    void NoteSend(const ProgramStepId& id, uint32_t chunk);
    Held Own(uint32_t rank, uint32_t chunk) const;
    Sum PartOfRank(uint32_t rank) const;
    Held Read(uint32_t rank, uint32_t place) const;
    void Write(uint32_t rank, uint32_t place, const Held& held);
    std::optional<std::string>
    Put(const ProgramStepId& id, uint32_t place, const Held& held, bool isReduced);
    std::optional<std::string> Send(const ProgramStepId& id, const ProgramStep& step);
    std::optional<std::string> Receive(const ProgramStepId& id, const ProgramStep& step);
    std::optional<std::string> Work(const ProgramStepId& id, const ProgramStep& step);
    Held Promised(uint32_t rank, uint32_t place) const;

    bool HasSums() const
    {
        return !m_sums.empty();
    }

    const MessageProgram& m_program;
    const ProgramChannels& m_channels;
    const ProgramBuffers& m_buffers;
    Sum m_all = 0;                    // the sum of all ranks
    std::vector<uint32_t> m_chunks;   // by cell
    std::vector<Sum> m_sums;          // by cell; empty where nothing is summed
    std::vector<uint32_t> m_onlySend; // by rank and chunk: a step, NEVER or OFTEN; as m_sums
    std::vector<UnderWay> m_underWay; // by the number of the sending lane
};

/// "chunk 3 of the buffer", "chunk 0 of the input", "scratch chunk 2".
std::string DescribePlace(const ProgramBuffers& buffers, uint32_t place);

} // namespace nadi
