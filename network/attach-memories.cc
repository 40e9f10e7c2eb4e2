// SPDX-License-Identifier: GPL-2.0-only
#include "network/attach-memories.h"

#include "common/error.h"
#include "common/text.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

#include <set>
#include <string>

namespace nadi
{

namespace
{

/// Adds the groups one after the other; none hangs on a memory of another.
class MemoryAttacher
{
  public:
    explicit MemoryAttacher(Topology& topology)
        : m_topology(topology)
        // Counted before memories are attached, since patterns mean vertices that are no memories.
        , m_hosts(topology.VertexCount())
    {
        for (VertexId vertex{0}; vertex.value < m_hosts; ++vertex.value)
        {
            m_names.insert(topology.Vertex(vertex).name);
        }
    }

    void Attach(const MemoryGroup& group)
    {
        const std::vector<VertexId> hosts = FindHosts(group);
        CheckCount(group);
        for (uint32_t i = 0; i < group.count; ++i)
        {
            const std::string name = group.name + std::to_string(i);
            if (!m_names.insert(name).second)
            {
                throw ConfigError(group.where,
                                  fmt::format("name: there is a {} already; write another name "
                                              "than \"{}\"",
                                              name,
                                              group.name));
            }
            // Hosts take turns, so that memories are spread evenly.
            m_topology.AddLink(hosts[i % hosts.size()],
                               m_topology.AddVertex(VertexKind::Memory, name),
                               group.linkBandwidth,
                               group.linkLatency);
        }
    }

  private:
    /// Pattern by pattern, each in the order of vertices. A vertex that fits two patterns stands in
    /// the list twice, and so gets twice as many memories.
    std::vector<VertexId> FindHosts(const MemoryGroup& group) const
    {
        std::vector<VertexId> hosts;
        for (const std::string& pattern : group.attach)
        {
            const size_t before = hosts.size();
            for (VertexId vertex{0}; vertex.value < m_hosts; ++vertex.value)
            {
                if (MatchesPattern(m_topology.Vertex(vertex).name, pattern))
                {
                    hosts.push_back(vertex);
                }
            }
            if (hosts.size() == before)
            {
                throw ConfigError(group.where,
                                  fmt::format("attach: \"{}\" fits no NPU and no switch; write "
                                              "names such as {}, with * for any letters",
                                              pattern,
                                              m_topology.Vertex(VertexId{m_hosts - 1}).name));
            }
        }
        return hosts;
    }

    void CheckCount(const MemoryGroup& group) const
    {
        const uint64_t vertices = uint64_t{m_topology.VertexCount()} + group.count;
        const uint64_t links = uint64_t{m_topology.LinkCount()} + 2 * uint64_t{group.count};
        if (vertices > MOST_VERTICES || links > MOST_LINKS)
        {
            throw ConfigError(group.where,
                              fmt::format("count: more than {} nodes or {} links, each direction "
                                          "counted; write a smaller number",
                                          MOST_VERTICES,
                                          MOST_LINKS));
        }
    }

    Topology& m_topology;
    uint32_t m_hosts; // vertices before the memories
    std::set<std::string> m_names;
};

} // namespace

void
AttachMemories(Topology& topology, const std::vector<MemoryGroup>& groups)
{
    if (groups.empty())
    {
        return;
    }
    MemoryAttacher attacher(topology);
    for (const MemoryGroup& group : groups)
    {
        attacher.Attach(group);
    }
}

} // namespace nadi
