// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/synthesis/master-trace.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace nadi
{

/// The type of a node, as statistics distinguish types: what it does and where.
struct NodeClass
{
    static constexpr uint32_t NO_SERIES = UINT32_MAX;

    NodeType type = NodeType::Compute;
    bool isCpu = false;
    bool isRemote = false;       ///< memory nodes
    bool isLocationOpen = false; ///< memory nodes
    uint32_t stream = 0;         ///< as ExecutionNode::stream: of the host, the thread
    uint32_t series = NO_SERIES; ///< of calls: MasterCall::series

    bool IsCall() const
    {
        return series != NO_SERIES;
    }

    auto operator<=>(const NodeClass&) const = default;
};

/// The class of a node that makes `call`, or no call where it is null.
NodeClass ClassOf(const ExecutionNode& node, const MasterCall* call);

/// "compute, stream 7", "all-reduce of 8 ranks, stream 24". Where communicators of one size are of
/// several families, the family is named too: "all-gather of 2 ranks (family 3)".
std::string Describe(const NodeClass& nodeClass, const MasterTrace& master);

/// The classes of a job, numbered from 0 in the order in which they are found, and their lanes.
///
/// A *lane* is what runs nodes one after another: a thread of the CPU, a stream, the kernels
/// without a stream, the communication without a stream. There are at most 64; the classes of all
/// further ones share the last.
class ClassTable
{
  public:
    static constexpr uint32_t MOST_LANES = 64;

    /// The number of a class, a new one where it was not there.
    uint32_t Find(const NodeClass& nodeClass);

    const std::vector<NodeClass>& Classes() const
    {
        return m_classes;
    }

    uint32_t LaneOf(uint32_t number) const
    {
        return m_lanes[number];
    }

  private:
    std::map<NodeClass, uint32_t> m_numbers;
    std::vector<NodeClass> m_classes;
    std::vector<uint32_t> m_lanes; // by class
    std::map<std::tuple<bool, bool, uint32_t>, uint32_t> m_laneNumbers;
};

} // namespace nadi
