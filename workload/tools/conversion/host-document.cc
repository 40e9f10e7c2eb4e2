// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/conversion/host-job.h"
#include "workload/tools/conversion/host-node-writer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace nadi
{

namespace
{

/// What PyTorch calls the scope of a recorded function (at::RecordScope).
constexpr uint64_t BACKWARD_SCOPE = 1;
constexpr uint64_t USER_SCOPE = 7;

/// Operators that launch nothing. Those that copy in some cases, such as aten::contiguous, call
/// another operator then, which is the task.
constexpr std::array<std::string_view, 33> IDLE_OPERATORS{"aten::_local_scalar_dense",
                                                          "aten::_reshape_alias",
                                                          "aten::_unsafe_view",
                                                          "aten::alias",
                                                          "aten::as_strided",
                                                          "aten::chunk",
                                                          "aten::contiguous",
                                                          "aten::detach",
                                                          "aten::empty",
                                                          "aten::empty_like",
                                                          "aten::empty_strided",
                                                          "aten::expand",
                                                          "aten::is_nonzero",
                                                          "aten::item",
                                                          "aten::lift_fresh",
                                                          "aten::narrow",
                                                          "aten::permute",
                                                          "aten::reshape",
                                                          "aten::resize_",
                                                          "aten::result_type",
                                                          "aten::select",
                                                          "aten::set_",
                                                          "aten::slice",
                                                          "aten::split",
                                                          "aten::squeeze",
                                                          "aten::t",
                                                          "aten::to",
                                                          "aten::transpose",
                                                          "aten::unbind",
                                                          "aten::unsqueeze",
                                                          "aten::view",
                                                          "detach",
                                                          "detach_"};

/// Takes the operators of a host trace as a tree, in which each node names the one around it.
///
/// Time: nodes times the depth of the tree.
class HostTree
{
  public:
    explicit HostTree(const PytorchHostTrace& host)
        : m_host(host)
    {
        for (size_t index = 0; index < host.nodes.size(); ++index)
        {
            m_placeOfId.emplace(host.nodes[index].id, index);
        }
        m_calls.resize(host.nodes.size());
        for (const PytorchHostNode& node : host.nodes)
        {
            const PytorchHostNode* const parent = ParentOf(node);
            // Nodes that stand for threads and the process are no calls.
            if (parent != nullptr && IsOperator(node))
            {
                m_calls[static_cast<size_t>(parent - host.nodes.data())] = true;
            }
        }
    }

    /// The operators that are tasks, in the order in which they began: ids are given then.
    std::vector<size_t> ListTasks() const
    {
        std::vector<size_t> tasks;
        for (size_t index = 0; index < m_host.nodes.size(); ++index)
        {
            if (IsTask(index))
            {
                tasks.push_back(index);
            }
        }
        std::ranges::stable_sort(
            tasks, {}, [this](size_t index) { return m_host.nodes[index].id; });
        return tasks;
    }

    /// The outermost first. The number of steps is bounded, as damaged files have cycles.
    std::vector<std::string> ScopesOf(const PytorchHostNode& node) const
    {
        std::vector<std::string> scopes;
        size_t steps = 0;
        for (const PytorchHostNode* at = ParentOf(node);
             at != nullptr && steps < m_host.nodes.size();
             at = ParentOf(*at), ++steps)
        {
            const bool isRange = IsIn(*at, USER_SCOPE) && !at->name.starts_with("ProfilerStep#");
            if (isRange || IsIn(*at, BACKWARD_SCOPE) || at->name.starts_with("nn.Module: ") ||
                at->name.starts_with("autograd::engine"))
            {
                scopes.push_back(at->name);
            }
        }
        std::ranges::reverse(scopes);
        return scopes;
    }

  private:
    static bool IsOperator(const PytorchHostNode& node)
    {
        return node.recordFunction != 0;
    }

    static bool IsIn(const PytorchHostNode& node, uint64_t scope)
    {
        // The reader keeps whole numbers without a sign as uint64_t, so others are no scope.
        const auto isScope = [scope](const auto& attribute)
        { return attribute.first == "scope" && attribute.second == PytorchHostNode::Value(scope); };
        return std::ranges::any_of(node.attributes, isScope);
    }

    /// The operator around it that is not itself, or null.
    const PytorchHostNode* ParentOf(const PytorchHostNode& node) const
    {
        const auto found = m_placeOfId.find(node.parent);
        const bool isOther = found != m_placeOfId.end() && node.parent != node.id;
        return isOther ? &m_host.nodes[found->second] : nullptr;
    }

    /// Whether an operator of a collective is around it: that one is the task then.
    bool IsWithinCall(const PytorchHostNode& node) const
    {
        size_t steps = 0;
        for (const PytorchHostNode* at = ParentOf(node);
             at != nullptr && steps < m_host.nodes.size();
             at = ParentOf(*at), ++steps)
        {
            if (at->call)
            {
                return true;
            }
        }
        return false;
    }

    bool IsTask(size_t index) const
    {
        const PytorchHostNode& node = m_host.nodes[index];
        if (!IsOperator(node) || IsWithinCall(node))
        {
            return false;
        }
        // An operator of a collective is a task though it calls others: those are left out above.
        return node.call ||
               (!m_calls[index] && !IsIn(node, USER_SCOPE) && !IsIn(node, BACKWARD_SCOPE) &&
                std::ranges::find(IDLE_OPERATORS, node.name) == IDLE_OPERATORS.end());
    }

    const PytorchHostTrace& m_host;
    std::unordered_map<uint64_t, size_t> m_placeOfId;
    std::vector<bool> m_calls; ///< whether an operator calls others
};

} // namespace

TraceDocument
MakeHostDocument(const PytorchHostTrace& host, CommunicationWriter& communication)
{
    const HostTree tree(host);
    TraceDocument document;
    for (const size_t index : tree.ListTasks())
    {
        const PytorchHostNode& task = host.nodes[index];
        ChakraProtoMsg::Node& node = document.nodes.emplace_back();
        node.set_id(document.nodes.size());
        node.set_type(ChakraProtoMsg::COMP_NODE);
        node.set_name(task.name);
        if (task.call)
        {
            communication.Write(*task.call, node);
        }
        // Communication of the host would be no communication to who reads the trace.
        SetBool(node, NodeAttribute::IsCpu, node.type() == ChakraProtoMsg::COMP_NODE);
        if (const auto scopes = tree.ScopesOf(task); !scopes.empty())
        {
            AddScopes(node, scopes);
        }
    }
    if (document.nodes.empty())
    {
        throw ConfigError(host.source,
                          "has no operator that does work; record at least one iteration with "
                          "PyTorch's ExecutionTraceObserver");
    }
    return document;
}

} // namespace nadi
