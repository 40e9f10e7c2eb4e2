// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/trace-diff.h"

#include "workload/tools/inspection/group-diff.h"
#include "workload/tools/inspection/node-values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint32_t NO_NODE = std::numeric_limits<uint32_t>::max();

using ChakraProtoMsg::Node;

TraceNodeName
NameOf(const Node& node)
{
    return {node.id(), node.name()};
}

/// By name, and those of one name in their order in the file.
std::vector<uint32_t>
SortByName(const TraceDocument& document)
{
    std::vector<uint32_t> order(document.nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(),
                     order.end(),
                     [&](uint32_t left, uint32_t right)
                     { return document.nodes[left].name() < document.nodes[right].name(); });
    return order;
}

/// For each node of two documents the one that it is in the other, or NO_NODE.
struct NodeMatch
{
    NodeMatch(const TraceDocument& first, const TraceDocument& second)
        : ofFirst(first.nodes.size(), NO_NODE)
        , ofSecond(second.nodes.size(), NO_NODE)
    {
        const std::vector<uint32_t> firstOrder = SortByName(first);
        const std::vector<uint32_t> secondOrder = SortByName(second);
        auto left = firstOrder.begin();
        auto right = secondOrder.begin();
        // A merge of two sorted lists. Of a name that both have, the first nodes meet, then the
        // second ones; the surplus of one side is passed over.
        while (left != firstOrder.end() && right != secondOrder.end())
        {
            const int order = first.nodes[*left].name().compare(second.nodes[*right].name());
            if (order == 0)
            {
                ofFirst[*left] = *right;
                ofSecond[*right] = *left;
            }
            left += order <= 0 ? 1 : 0;
            right += order >= 0 ? 1 : 0;
        }
    }

    std::vector<uint32_t> ofFirst;
    std::vector<uint32_t> ofSecond;
};

/// A dependency, comparable between both documents.
struct ComparedDependency
{
    enum class Target : uint8_t
    {
        Matched,  ///< `value` is the index in the second document
        Only,     ///< in this document alone: the index in it
        Dangling, ///< in no file: the id
    };

    bool isControl = false;
    Target target = Target::Matched;
    uint64_t value = 0;
    uint64_t id = 0; ///< in its own document; not compared

    auto Key() const
    {
        return std::tie(isControl, target, value);
    }
};

/// Orders by what is compared. Ids do not count: those of two documents have nothing to do with
/// each other.
bool
Precedes(const ComparedDependency& left, const ComparedDependency& right)
{
    return left.Key() < right.Key();
}

/// Follows the dependencies of one document.
class DependencyReader
{
  public:
    /// `match`: of this document's nodes in the other; `isSecond`: which document it is.
    DependencyReader(const TraceDocument& document,
                     const std::vector<uint32_t>& match,
                     bool isSecond)
        : m_document(document)
        , m_match(match)
        , m_isSecond(isSecond)
    {
        for (uint32_t node = 0; node < document.nodes.size(); ++node)
        {
            // Of several nodes with one id the first counts.
            m_indexOf.try_emplace(document.nodes[node].id(), node);
        }
    }

    /// Sorted, each once.
    std::vector<ComparedDependency> Read(const Node& node) const
    {
        std::vector<ComparedDependency> dependencies;
        for (const uint64_t id : node.data_deps())
        {
            dependencies.push_back(Follow(id, false));
        }
        for (const uint64_t id : node.ctrl_deps())
        {
            dependencies.push_back(Follow(id, true));
        }
        std::sort(dependencies.begin(), dependencies.end(), Precedes);
        const auto isSame = [](const ComparedDependency& left, const ComparedDependency& right)
        { return left.Key() == right.Key(); };
        dependencies.erase(std::unique(dependencies.begin(), dependencies.end(), isSame),
                           dependencies.end());
        return dependencies;
    }

    std::string Describe(const ComparedDependency& dependency) const
    {
        const auto node = m_indexOf.find(dependency.id);
        return fmt::format("{}{}{}",
                           dependency.id,
                           node == m_indexOf.end()
                               ? ""
                               : fmt::format(" \"{}\"", m_document.nodes[node->second].name()),
                           dependency.isControl ? " (control)" : "");
    }

  private:
    /// An id that no node of the document has is compared as a number: nothing else is known of it.
    ComparedDependency Follow(uint64_t id, bool isControl) const
    {
        using enum ComparedDependency::Target;
        const auto found = m_indexOf.find(id);
        if (found == m_indexOf.end())
        {
            return {isControl, Dangling, id, id};
        }
        const uint32_t index = found->second;
        if (m_match[index] == NO_NODE)
        {
            return {isControl, Only, index, id};
        }
        // Both documents name the target by its index in the second one, so that keys can be
        // compared.
        return {isControl, Matched, m_isSecond ? index : m_match[index], id};
    }

    const TraceDocument& m_document;
    const std::vector<uint32_t>& m_match;
    bool m_isSecond;
    std::unordered_map<uint64_t, uint32_t> m_indexOf; // by id
};

/// The dependencies of `from` that `other` lacks, as text. One that is in a document alone has no
/// equal in the other, whatever its index.
///
/// Requires: both are sorted by Precedes.
std::vector<std::string>
FindMissing(const DependencyReader& reader,
            const std::vector<ComparedDependency>& from,
            const std::vector<ComparedDependency>& other)
{
    std::vector<std::string> missing;
    for (const ComparedDependency& dependency : from)
    {
        if (dependency.target == ComparedDependency::Target::Only ||
            !std::binary_search(other.begin(), other.end(), dependency, Precedes))
        {
            missing.push_back(reader.Describe(dependency));
        }
    }
    return missing;
}

template <class Entry>
void
Append(Entry entry, std::vector<Entry>& list)
{
    if (list.size() < TraceDiff::MOST_LISTED)
    {
        list.push_back(std::move(entry));
    }
}

void
AddChanged(ChangedNode node, TraceDiff& diff)
{
    const bool hasDependencies =
        !node.dependenciesRemoved.empty() || !node.dependenciesAdded.empty();
    // These count even where the list of changes is full (Append).
    diff.changedValuesCount += node.values.empty() ? 0 : 1;
    diff.changedDependencyCount += hasDependencies ? 1 : 0;
    for (const ChangedValue& value : node.values)
    {
        ++diff.changedNames[value.name];
    }
    if (hasDependencies || !node.values.empty())
    {
        ++diff.changedCount;
        Append(std::move(node), diff.changed);
    }
}

} // namespace

TraceDiff
CompareDocuments(const TraceDocument& first,
                 const TraceDocument& second,
                 const ComparedGroups* groups)
{
    const NodeMatch match(first, second);
    const DependencyReader firstReader(first, match.ofFirst, false);
    const DependencyReader secondReader(second, match.ofSecond, true);
    TraceDiff diff;
    diff.nodesInFirst = first.nodes.size();
    diff.nodesInSecond = second.nodes.size();
    diff.metadata = CompareMetadata(first.metadata, second.metadata);
    for (uint32_t index = 0; index < first.nodes.size(); ++index)
    {
        const Node& node = first.nodes[index];
        if (match.ofFirst[index] == NO_NODE)
        {
            ++diff.onlyInFirstCount;
            Append(NameOf(node), diff.onlyInFirst);
            continue;
        }
        const Node& other = second.nodes[match.ofFirst[index]];
        const std::vector<ComparedDependency> before = firstReader.Read(node);
        const std::vector<ComparedDependency> after = secondReader.Read(other);
        std::vector<ChangedValue> values = CompareNodeValues(node, other);
        if (groups != nullptr)
        {
            // Order: after CompareNodeValues, whose finding on the name of a group this may take
            // back.
            CompareGroups(node, other, *groups, values);
        }
        AddChanged({.from = NameOf(node),
                    .to = NameOf(other),
                    .values = std::move(values),
                    .dependenciesRemoved = FindMissing(firstReader, before, after),
                    .dependenciesAdded = FindMissing(secondReader, after, before)},
                   diff);
    }
    for (uint32_t index = 0; index < second.nodes.size(); ++index)
    {
        if (match.ofSecond[index] == NO_NODE)
        {
            ++diff.onlyInSecondCount;
            Append(NameOf(second.nodes[index]), diff.onlyInSecond);
        }
    }
    return diff;
}

} // namespace nadi
