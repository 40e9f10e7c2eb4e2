// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/node-removal.h"

#include "common/check.h"
#include "workload/node-index.h"
#include "workload/tools/editing/dependency-chains.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

// A removed node passes on so many dependencies at most. Without a bound, if k nodes waited for m
// nodes over one removed barrier, they would get k * m dependencies.
constexpr size_t MOST_DEPENDENCIES = 64;

using ChakraProtoMsg::Node;

/// Takes nodes out in the order of dependencies, so that the ancestors of a removed node are known
/// when those that depend on it need them.
///
/// A removed node has a list of its ancestors: the kept nodes that it waited for. A child that is
/// kept takes them as dependencies; one that is not adds them to its own list. DependencyChains
/// keep the lists short, as they leave out ancestors that others imply.
class NodeRemover
{
  public:
    NodeRemover(TraceDocument& document, const ExecutionGraph& graph, std::vector<bool> keep)
        : m_nodes(document.nodes)
        , m_index(graph.Nodes())
        , m_order(graph.TopologicalOrder())
        , m_keep(std::move(keep))
        , m_ancestors(graph.NodeCount())
        , m_chains(graph.NodeCount())
    {
    }

    NodeRemoval Run()
    {
        // Each node is met once, and no removed node passes on more than MOST_DEPENDENCIES
        // ancestors. So the time does not depend on how many nodes are taken out in a row.
        for (const uint32_t node : m_order)
        {
            AddToChain(node);
            if (m_keep[node])
            {
                Relink(node);
            }
            else
            {
                Remove(node);
            }
        }
        Compact();
        return m_result;
    }

  private:
    /// Order: before the node is changed, as chains are made of the dependencies as they were read.
    void AddToChain(uint32_t node)
    {
        m_dataParents.clear();
        ForEachParent(m_nodes[node],
                      [this](uint32_t parent, bool isControl)
                      {
                          if (!isControl)
                          {
                              m_dataParents.push_back(parent);
                          }
                      });
        m_chains.Add(node, m_dataParents);
    }

    /// Calls with each dependency on a node that is there.
    template <class Act>
    void ForEachParent(const Node& node, Act act) const
    {
        for (const auto& [ids, isControl] :
             {std::pair(&node.data_deps(), false), std::pair(&node.ctrl_deps(), true)})
        {
            for (const uint64_t id : *ids)
            {
                const uint32_t parent = m_index.Find(id);
                if (parent != NodeIndex::NONE)
                {
                    act(parent, isControl);
                }
            }
        }
    }

    void Append(uint32_t removedParent, bool isControl, std::vector<Ancestor>& ancestors) const
    {
        // One control dependency on a path makes the whole path one of control.
        for (const Ancestor& ancestor : m_ancestors[removedParent])
        {
            ancestors.push_back({ancestor.node, ancestor.viaControl || isControl});
        }
    }

    void Relink(uint32_t index)
    {
        Node& node = m_nodes[index];
        std::vector<uint64_t> data;
        std::vector<uint64_t> control;
        std::vector<Ancestor> indirect;
        // Dependencies on nodes that stay are kept as they were written. Only those over removed
        // nodes are pruned.
        ForEachParent(node,
                      [&](uint32_t parent, bool isControl)
                      {
                          if (m_keep[parent])
                          {
                              (isControl ? control : data).push_back(m_nodes[parent].id());
                              return;
                          }
                          Append(parent, isControl, indirect);
                      });
        AppendIndirect(std::move(indirect), data, control);
        node.mutable_data_deps()->Assign(data.begin(), data.end());
        node.mutable_ctrl_deps()->Assign(control.begin(), control.end());
    }

    /// Adds the ancestors that are not among the dependencies already.
    void AppendIndirect(std::vector<Ancestor> indirect,
                        std::vector<uint64_t>& data,
                        std::vector<uint64_t>& control) const
    {
        m_chains.Prune(indirect);
        const auto sorted = [](std::vector<uint64_t> ids)
        {
            std::ranges::sort(ids);
            return ids;
        };
        // These are copies, as the lists themselves keep the order in which they were written.
        const std::vector<uint64_t> directData = sorted(data);
        const std::vector<uint64_t> directControl = sorted(control);
        for (const Ancestor& ancestor : indirect)
        {
            const uint64_t id = m_nodes[ancestor.node].id();
            const bool isControl = ancestor.viaControl;
            // A data dependency implies one of control, but not the other way round: a reader may
            // ignore control dependencies.
            const bool isImplied = std::ranges::binary_search(directData, id) ||
                                   (isControl && std::ranges::binary_search(directControl, id));
            if (!isImplied)
            {
                (isControl ? control : data).push_back(id);
            }
        }
    }

    void Remove(uint32_t index)
    {
        std::vector<Ancestor>& ancestors = m_ancestors[index];
        ForEachParent(m_nodes[index],
                      [&](uint32_t parent, bool isControl)
                      {
                          if (m_keep[parent])
                          {
                              ancestors.push_back({parent, isControl});
                              return;
                          }
                          Append(parent, isControl, ancestors);
                      });
        // An ancestor that is reached over several removed nodes is in the list several times.
        m_chains.Prune(ancestors);
        if (ancestors.size() > MOST_DEPENDENCIES)
        {
            MakeJoint(index);
            return;
        }
        ++m_result.removed;
    }

    void MakeJoint(uint32_t index)
    {
        Node joint;
        joint.set_id(m_nodes[index].id());
        joint.set_name("joins nodes that were taken out");
        joint.set_type(ChakraProtoMsg::METADATA_NODE);
        // What depended on the removed node depends on the joint, which has its id. So no ancestors
        // are passed on.
        for (const Ancestor& ancestor : std::exchange(m_ancestors[index], {}))
        {
            const uint64_t id = m_nodes[ancestor.node].id();
            ancestor.viaControl ? joint.add_ctrl_deps(id) : joint.add_data_deps(id);
        }
        m_nodes[index] = std::move(joint);
        m_keep[index] = true;
        ++m_result.joints;
    }

    void Compact()
    {
        size_t kept = 0;
        for (size_t index = 0; index < m_nodes.size(); ++index)
        {
            if (m_keep[index])
            {
                m_nodes[kept++].Swap(&m_nodes[index]);
            }
        }
        m_nodes.resize(kept);
    }

    std::vector<Node>& m_nodes;
    const NodeIndex m_index;
    const std::vector<uint32_t> m_order; // parents before children
    std::vector<bool> m_keep;
    std::vector<std::vector<Ancestor>> m_ancestors; // of removed nodes
    DependencyChains m_chains;
    std::vector<uint32_t> m_dataParents; // of the node that is added to the chains
    NodeRemoval m_result;
};

} // namespace

NodeRemoval
RemoveNodes(TraceDocument& document, const ExecutionGraph& graph, std::vector<bool> keep)
{
    NADI_CHECK(document.nodes.size() == graph.NodeCount() && keep.size() == graph.NodeCount());
    return NodeRemover(document, graph, std::move(keep)).Run();
}

} // namespace nadi
