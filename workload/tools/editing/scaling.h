// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/node-types.h"
#include "workload/tools/editing/trace-edit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// By how much which nodes are scaled.
struct ScaleFactors
{
    double sizes = 1;           ///< of comm_size and tensor_size, and of the bytes of memory nodes
    double durations = 1;       ///< of recorded durations and of the waits in them
    SchemaNodeTypes types = {}; ///< empty: all
};

/// Traces with other sizes and durations: whole bytes (or elements) and whole nanoseconds, rounded
/// half up. Where the durations of all types are scaled, so are recorded starts, by the same
/// factor; else they stay.
class Scaling : public TraceEdit
{
  public:
    /// Files by rank. Requires: factors are finite and at least 0.
    Scaling(std::vector<std::string> traces, const ScaleFactors& factors, ProcessGroups groups);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;

    /// Throws ConfigError for sizes that are no whole numbers, and for results that pass 63 bits.
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    void Scale(ChakraProtoMsg::Node& node, const std::string& source);
    void ScaleWait(ChakraProtoMsg::Node& node, const std::string& source) const;

    std::vector<std::string> m_traces;
    ScaleFactors m_factors;
    ProcessGroups m_groups;
    uint64_t m_sizes = 0;
    uint64_t m_durations = 0;
    bool m_keepsStarts = false;
};

} // namespace nadi
