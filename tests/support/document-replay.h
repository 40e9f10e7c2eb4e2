// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nadi::test
{

/// Runs a trace in which each node takes its recorded duration and starts as soon as all that it
/// depends on has ended. Times are nanoseconds.
class DocumentReplay
{
  public:
    enum class Cpus
    {
        Unlimited,
        One, ///< CPU nodes run one at a time, in the order in which they could
    };

    explicit DocumentReplay(const TraceDocument& document, Cpus cpus = Cpus::Unlimited)
    {
        for (const ChakraProtoMsg::Node& node : document.nodes)
        {
            m_nodes[node.id()] = &node;
        }
        Run(cpus);
    }

    int64_t EndNs() const
    {
        int64_t end = 0;
        for (const auto& [id, time] : m_ends)
        {
            end = std::max(end, time);
        }
        return end;
    }

    int64_t StartOf(const ChakraProtoMsg::Node& node) const
    {
        return m_ends.at(node.id()) - GetDurationNanos(node);
    }

    int64_t EndOf(const ChakraProtoMsg::Node& node) const
    {
        return m_ends.at(node.id());
    }

    /// Whether `node` comes after `before` because of dependencies, over however many nodes.
    bool Follows(const ChakraProtoMsg::Node& node, const ChakraProtoMsg::Node& before) const
    {
        std::vector<uint64_t> open{node.id()};
        std::set<uint64_t> seen;
        while (!open.empty())
        {
            const uint64_t id = open.back();
            open.pop_back();
            for (const uint64_t dependency : m_nodes.at(id)->data_deps())
            {
                if (seen.insert(dependency).second)
                {
                    open.push_back(dependency);
                }
            }
        }
        return seen.contains(before.id());
    }

  private:
    using Ready = std::pair<int64_t, uint64_t>; // when, and which node

    void Run(Cpus cpus)
    {
        std::map<uint64_t, std::vector<uint64_t>> children;
        std::map<uint64_t, int> waits;
        std::map<uint64_t, int64_t> readyNs;
        std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
        for (const auto& [id, node] : m_nodes)
        {
            waits[id] = node->data_deps_size();
            for (const uint64_t dependency : node->data_deps())
            {
                children[dependency].push_back(id);
            }
            if (node->data_deps().empty())
            {
                ready.emplace(0, id);
            }
        }
        int64_t cpuFreeNs = 0;
        while (!ready.empty())
        {
            const auto [time, id] = ready.top();
            ready.pop();
            const ChakraProtoMsg::Node& node = *m_nodes.at(id);
            const bool takesCpu = cpus == Cpus::One &&
                                  GetAttribute(node, NodeAttribute::IsCpu) == AttributeValue(true);
            const int64_t end =
                (takesCpu ? std::max(time, cpuFreeNs) : time) + GetDurationNanos(node);
            cpuFreeNs = takesCpu ? end : cpuFreeNs;
            m_ends[id] = end;
            for (const uint64_t child : children[id])
            {
                readyNs[child] = std::max(readyNs[child], end);
                if (--waits[child] == 0)
                {
                    ready.emplace(readyNs[child], child);
                }
            }
        }
        if (m_ends.size() != m_nodes.size())
        {
            throw std::runtime_error("the trace has a cycle");
        }
    }

    std::map<uint64_t, const ChakraProtoMsg::Node*> m_nodes;
    std::map<uint64_t, int64_t> m_ends;
};

} // namespace nadi::test
