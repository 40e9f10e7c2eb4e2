// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/exports/param-calls.h"
#include "workload/tools/exports/uneven-exchanges.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Makes the calls of one rank's nodes. Its parameters and errors are those of ListParamCalls.
/// Requires: they outlive it.
class ParamCallMaker
{
  public:
    ParamCallMaker(const UnevenExchanges& exchanges, RankId rank, const TraceDocument* document);

    /// All of the call but its request. Requires: the node communicates.
    ParamCall Make(uint32_t index) const;

  private:
    [[noreturn]] void Fail(uint32_t index, const std::string& problem) const;
    uint64_t BytesOf(uint32_t index) const;
    /// The type that the trace says; absent if it says none.
    std::optional<ParamElement> SaidElement(uint32_t index) const;
    ParamElement WantedElement(uint32_t index) const;
    /// The type of elements of which so many make the size of the call; absent where none fits.
    std::optional<ParamElement> ElementOfParts(uint32_t index, uint64_t elements) const;
    const Communicator& GroupOf(uint32_t index) const;
    ParamCall MakeMessage(uint32_t index) const;
    ParamCall MakeCollective(uint32_t index) const;
    /// Whether the trace of an all-to-all says what the rank sends and what it gets.
    bool SaysBothSplits(uint32_t index) const;
    /// Takes both. Requires: it says them.
    void SetSplits(uint32_t index, uint64_t members, ParamCall& call) const;
    void SetUneven(uint32_t index, const ExchangedBytes& bytes, ParamCall& call) const;
    /// The sum of the parts.
    uint64_t
    CheckSplits(uint32_t index, uint64_t members, const std::vector<uint64_t>& splits) const;

    const UnevenExchanges& m_exchanges;
    const Workload& m_job;
    RankId m_rank;
    const ExecutionGraph& m_graph;
    const TraceDocument* m_document;
};

} // namespace nadi
