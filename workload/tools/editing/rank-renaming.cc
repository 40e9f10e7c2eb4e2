// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/rank-renaming.h"

#include "common/check.h"
#include "common/error.h"
#include "system/collective-type.h"
#include "workload/document/node-attributes.h"
#include "workload/trace/process-groups.h"

#include <fmt/format.h>

#include <map>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

constexpr const char* ALL_RANKS_NAME = "0"; // as pg_name

/// Renames what one node after the other says of ranks.
///
/// The types are those of the graph and not of the document: to the reader a call of the host is a
/// compute node, and its peers mean nothing.
class RankRenamer
{
  public:
    RankRenamer(const ExecutionGraph& graph, const RankRenaming& renaming)
        : m_graph(graph)
        , m_renaming(renaming)
    {
        for (size_t group = 0; group < graph.GroupNames().size(); ++group)
        {
            m_groups.emplace(graph.GroupNames()[group], renaming.groupOf[group]);
        }
    }

    void Rename(Node& node, uint32_t index) const
    {
        switch (m_graph.Node(index).type)
        {
        case NodeType::Send:
            RenamePeer(node, NodeAttribute::Destination, NodeAttribute::Source);
            break;
        case NodeType::Receive:
            RenamePeer(node, NodeAttribute::Source, NodeAttribute::Destination);
            break;
        case NodeType::Collective:
            RenameGroup(node, m_renaming.groupOf[m_graph.Node(index).group]);
            RenameRoot(node, m_graph.Node(index));
            break;
        default:
            if (m_graph.Node(index).isOfGroup)
            {
                return RenameGroupOfAccess(node, m_renaming.groupOf[m_graph.Node(index).group]);
            }
            RenameGroupOfHost(node, m_graph.Node(index));
            ForgetGroups(node);
        }
    }

  private:
    void RenamePeer(Node& node, NodeAttribute peer, NodeAttribute own) const
    {
        RenameRank(node, peer);
        // A node may name its own rank too. Where it does not, nothing is added.
        if (FindAttribute(node, own) != nullptr)
        {
            SetNumber(node, own, m_renaming.ownRank);
        }
    }

    void RenameRoot(Node& node, const ExecutionNode& call) const
    {
        const bool keepsRoot = !m_renaming.keepsRoot.empty() && m_renaming.keepsRoot[call.group];
        if (HasRoot(call.collective) && !keepsRoot)
        {
            RenameRank(node, NodeAttribute::Root);
        }
    }

    void RenameRank(Node& node, NodeAttribute meaning) const
    {
        const auto old = ToUnsigned(GetAttribute(node, meaning));
        // Without a root, the first member of the group is the root, whatever its new number is.
        if (!old)
        {
            return;
        }
        const uint32_t rank = m_renaming.Find(static_cast<uint32_t>(*old));
        if (rank == RankRenaming::ABSENT)
        {
            throw ConfigError(m_graph.Source(),
                              fmt::format("node {} (\"{}\") names rank {} as {}, which would not "
                                          "be there; {}",
                                          node.id(),
                                          node.name(),
                                          *old,
                                          ToText(meaning),
                                          m_renaming.advice));
        }
        SetNumber(node, meaning, rank);
    }

    /// Leaves the attribute as it was written where it means the right group already.
    static void RenameGroup(Node& node, const std::string& name)
    {
        const std::string old = ToText(GetAttribute(node, NodeAttribute::Group));
        // Several names mean all ranks to a reader.
        if (name.empty() ? MeansAllRanks(old) : old == name)
        {
            return;
        }
        RemoveAttribute(node, NodeAttribute::Group);
        if (!name.empty())
        {
            SetText(node, NodeAttribute::Group, name);
        }
    }

    /// Of an access to remote memory that the group makes together. Without a name it would be an
    /// access of the rank alone, so that all ranks need one.
    static void RenameGroupOfAccess(Node& node, const std::string& name)
    {
        const std::string old = ToText(GetAttribute(node, NodeAttribute::Group));
        if (name.empty() ? !MeansAllRanks(old) : old != name)
        {
            RemoveAttribute(node, NodeAttribute::Group);
            SetText(node, NodeAttribute::Group, name.empty() ? ALL_RANKS_NAME : name);
        }
    }

    /// A call of the host communicates with nobody, but may say for which group it stands. The old
    /// name of a group that no collective uses would mean another one now. An access to remote
    /// memory that is the rank's own names no group, and stays so.
    void RenameGroupOfHost(Node& node, const ExecutionNode& task) const
    {
        if (FindAttribute(node, NodeAttribute::Group) == nullptr)
        {
            return;
        }
        if (task.isRemote)
        {
            RemoveAttribute(node, NodeAttribute::Group);
        }
        else
        {
            const auto group = m_groups.find(ToText(GetAttribute(node, NodeAttribute::Group)));
            RenameGroup(node, group == m_groups.end() ? "" : group->second);
        }
    }

    static void ForgetGroups(Node& node)
    {
        if (node.type() == ChakraProtoMsg::METADATA_NODE &&
            node.name().find("process_group:init") != std::string::npos)
        {
            node.set_name("process groups of the original trace");
            node.clear_inputs();
        }
    }

    const ExecutionGraph& m_graph;
    const RankRenaming& m_renaming;
    std::map<std::string, std::string> m_groups; // new names by old ones
};

} // namespace

std::vector<std::string>
NameUsedGroups(const ExecutionGraph& graph,
               const std::vector<bool>& keep,
               const std::function<std::string(uint32_t group)>& nameOf)
{
    std::vector<bool> isUsed(graph.GroupNames().size(), false);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        const bool isCall = node.type == NodeType::Collective || node.isOfGroup;
        if (isCall && (keep.empty() || keep[index]))
        {
            isUsed[node.group] = true;
        }
    }
    // Each call of `nameOf` may use up a new name, so it is called for the groups that stay only.
    std::vector<std::string> names;
    for (uint32_t group = 0; group < isUsed.size(); ++group)
    {
        names.push_back(isUsed[group] ? nameOf(group) : "");
    }
    return names;
}

void
RenameRanks(TraceDocument& document, const ExecutionGraph& graph, const RankRenaming& renaming)
{
    NADI_CHECK(document.nodes.size() == graph.NodeCount());
    const RankRenamer renamer(graph, renaming);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        renamer.Rename(document.nodes[index], index);
    }
}

} // namespace nadi
