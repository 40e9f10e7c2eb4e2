// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/trace-problems.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What a node, or the metadata of a trace, has otherwise.
struct ChangedValue
{
    std::string name; ///< of a field ("duration_micros", "type") or of an attribute ("comm_size")
    std::optional<std::string> from; ///< absent: the first has no such attribute
    std::optional<std::string> to;

    bool operator==(const ChangedValue&) const = default;
};

/// A node that both traces have, otherwise.
struct ChangedNode
{
    TraceNodeName from;
    TraceNodeName to; ///< the same name; maybe another id
    std::vector<ChangedValue> values;
    /// Nodes, as "7 "forward"", for which it waits in one trace only. Control dependencies are
    /// marked: "7 "forward" (control)". Dependencies that cannot be followed show the id alone.
    std::vector<std::string> dependenciesRemoved;
    std::vector<std::string> dependenciesAdded;
};

/// How two traces of one rank differ.
///
/// Nodes are matched by name and order: the k-th node of a name in the one is the k-th of that name
/// in the other. Ids are only names of nodes, so that a change of ids alone is no difference, nor
/// is the order of the nodes in the file, of attributes, or of dependencies.
struct TraceDiff
{
    /// So many entries of each list are kept, as the traces of two different jobs differ in
    /// everything.
    static constexpr size_t MOST_LISTED = 1000;

    uint64_t nodesInFirst = 0;
    uint64_t nodesInSecond = 0;
    uint64_t onlyInFirstCount = 0;
    uint64_t onlyInSecondCount = 0;
    uint64_t changedCount = 0;                    ///< nodes
    uint64_t changedValuesCount = 0;              ///< nodes with changed fields or attributes
    uint64_t changedDependencyCount = 0;          ///< nodes with changed dependencies
    std::map<std::string, uint64_t> changedNames; ///< nodes in which a field or attribute changed
    std::vector<ChangedValue> metadata;
    std::vector<TraceNodeName> onlyInFirst;
    std::vector<TraceNodeName> onlyInSecond;
    std::vector<ChangedNode> changed;

    bool AreEqual() const
    {
        return metadata.empty() && onlyInFirstCount == 0 && onlyInSecondCount == 0 &&
               changedCount == 0;
    }
};

struct ComparedGroups;

/// Compares two traces. Time: n log n in nodes and dependencies.
///
/// With `groups`, those of nodes are compared by their ranks, where both are known.
TraceDiff CompareDocuments(const TraceDocument& first,
                           const TraceDocument& second,
                           const ComparedGroups* groups = nullptr);

} // namespace nadi
