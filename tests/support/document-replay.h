// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace nadi::test
{

/// Runs a trace in which each node takes its recorded duration and starts as soon as all that it
/// depends on has ended: what a machine does that has every resource. Times are nanoseconds.
class DocumentReplay
{
  public:
    explicit DocumentReplay(const TraceDocument& document)
    {
        for (const ChakraProtoMsg::Node& node : document.nodes)
        {
            m_nodes[node.id()] = &node;
        }
        for (const auto& [id, node] : m_nodes)
        {
            Finish(id);
        }
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
    /// Without recursion: chains are as long as traces.
    void Finish(uint64_t wanted)
    {
        std::vector<uint64_t> open{wanted};
        while (!open.empty())
        {
            const uint64_t id = open.back();
            const size_t before = open.size();
            int64_t start = 0;
            for (const uint64_t dependency : m_nodes.at(id)->data_deps())
            {
                const auto end = m_ends.find(dependency);
                if (end == m_ends.end())
                {
                    open.push_back(dependency);
                }
                else
                {
                    start = std::max(start, end->second);
                }
            }
            if (open.size() > 4 * m_nodes.size())
            {
                throw std::runtime_error("the trace has a cycle");
            }
            if (open.size() == before)
            {
                m_ends[id] = start + GetDurationNanos(*m_nodes.at(id));
                open.pop_back();
            }
        }
    }

    std::map<uint64_t, const ChakraProtoMsg::Node*> m_nodes;
    std::map<uint64_t, int64_t> m_ends;
};

} // namespace nadi::test
