// SPDX-License-Identifier: GPL-2.0-only
#include "network/explicit-topology.h"

#include "common/error.h"
#include "common/text.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

std::string
Quote(const std::string& text)
{
    return '"' + text + '"';
}

/// "npu" and a number, whether or not there is such an NPU.
bool
IsNpuName(const std::string& name)
{
    return name.size() > 3 && name.starts_with("npu") &&
           name.find_first_not_of("0123456789", 3) == std::string::npos;
}

/// Turns the description into a topology, entry by entry.
class Builder
{
  public:
    explicit Builder(const ExplicitTopology& description)
        : m_description(description)
    {
    }

    Topology Build()
    {
        CheckSize();
        AddNpus();
        for (const std::string& name : m_description.switches)
        {
            AddSwitch(name);
        }
        for (const LinkSpec& link : m_description.links)
        {
            AddLinks(link);
        }
        // Only after all entries: the way back of an entry may be any later entry.
        CheckWaysBack();
        NoteMirroredLinks();
        m_topology.Validate(m_description.where);
        return std::move(m_topology);
    }

  private:
    using Ends = std::pair<VertexId, VertexId>;

    /// Before anything is built: what is too large would fill the memory first.
    void CheckSize() const
    {
        if (m_description.npuCount > MOST_VERTICES || m_description.switches.size() > MOST_VERTICES)
        {
            throw ConfigError(m_description.where,
                              "more than " + std::to_string(MOST_VERTICES) +
                                  " NPUs or switches; write fewer");
        }
        uint64_t directions = 0;
        for (const LinkSpec& link : m_description.links)
        {
            directions += uint64_t{link.count} * (link.direction == LinkDirection::Both ? 2 : 1);
            // Asked at each entry, so that the error names the first entry that is too much.
            if (directions > MOST_LINKS)
            {
                throw ConfigError(link.where,
                                  "with this entry there are more than " +
                                      std::to_string(MOST_LINKS) +
                                      " links, each direction counted; write fewer, or smaller "
                                      "counts");
            }
        }
    }

    void AddNpus()
    {
        for (uint32_t rank = 0; rank < m_description.npuCount; ++rank)
        {
            const std::string name = "npu" + std::to_string(rank);
            m_vertices[name] = m_topology.AddVertex(VertexKind::Npu, name);
        }
    }

    void AddSwitch(const std::string& name)
    {
        if (name.empty())
        {
            throw ConfigError(m_description.where,
                              "a switch has no name; give it one, such as leaf0");
        }
        if (IsNpuName(name))
        {
            throw ConfigError(m_description.where,
                              "switch " + Quote(name) +
                                  " is named like an NPU; name it otherwise, such as \"sw" +
                                  name.substr(3) + '"');
        }
        if (m_vertices.contains(name))
        {
            throw ConfigError(m_description.where,
                              "two switches are named " + Quote(name) + "; name each differently");
        }
        m_vertices[name] = m_topology.AddVertex(VertexKind::Switch, name);
    }

    VertexId FindNode(const std::string& name, const std::string& where) const
    {
        const auto found = m_vertices.find(name);
        if (found != m_vertices.end())
        {
            return found->second;
        }
        std::string advice;
        // npu9 of 8 NPUs is not misspelt: the range of numbers helps, and the nearest name would
        // not.
        if (IsNpuName(name) && m_description.npuCount > 0)
        {
            advice = "; the NPUs are npu0 to npu" + std::to_string(m_description.npuCount - 1);
        }
        else
        {
            std::vector<std::string> known = m_description.switches;
            // One name stands for those of all NPUs, of which there may be very many.
            known.push_back("npu0");
            advice = SuggestFrom(name, known);
        }
        throw ConfigError(where, "unknown node " + Quote(name) + advice);
    }

    void AddLinks(const LinkSpec& link)
    {
        const VertexId from = FindNode(link.from, link.where);
        const VertexId to = FindNode(link.to, link.where);
        CheckLink(link);
        KeepMirrored(link, {from, to});
        for (uint32_t i = 0; i < link.count; ++i)
        {
            if (link.direction == LinkDirection::Both)
            {
                m_topology.AddLink(from, to, link.bandwidth, link.latency);
            }
            else
            {
                // One by one, so that entries with different counts can be each other's ways back.
                AddForward(link, {from, to});
            }
        }
    }

    /// Remembers the entry, and whether an earlier one has the same ends the other way round.
    void KeepMirrored(const LinkSpec& link, Ends ends)
    {
        if (link.direction != LinkDirection::Both)
        {
            return;
        }
        const auto opposite = m_firstBoth.find({ends.second, ends.first});
        if (opposite == m_firstBoth.end())
        {
            m_firstBoth.try_emplace(ends, &link);
            return;
        }
        if (m_mirroredCount++ == 0)
        {
            m_mirrored = {opposite->second, &link};
        }
    }

    /// A list that has every link once from each end makes each of them twice.
    void NoteMirroredLinks()
    {
        if (m_mirroredCount == 0)
        {
            return;
        }
        const auto& [first, second] = m_mirrored;
        const std::string others =
            m_mirroredCount == 1
                ? ""
                : fmt::format(" (so do {} in all)", CountText(m_mirroredCount, "entry"));
        m_topology.AddNote(
            fmt::format("{}: this entry makes a second link between {} and {}, beside that of {}, "
                        "as an entry goes both ways{}; write direction: forward in both where "
                        "each is one direction, or count for parallel links",
                        second->where,
                        first->from,
                        first->to,
                        first->where,
                        others));
    }

    void CheckLink(const LinkSpec& link) const
    {
        if (link.from == link.to)
        {
            throw ConfigError(link.where,
                              "the link leads from " + Quote(link.from) +
                                  " to itself; name two different nodes");
        }
        if (link.bandwidth <= Bandwidth{})
        {
            throw ConfigError(link.where, "the link has no bandwidth; write one, such as 400 Gb/s");
        }
        if (link.count == 0)
        {
            throw ConfigError(link.where,
                              "count is 0; write how many parallel links there are, 1 or more");
        }
    }

    /// Joins the direction to one that waits for its way back, else makes it wait.
    void AddForward(const LinkSpec& link, Ends ends)
    {
        std::vector<const LinkSpec*>& opposite = m_waiting[{ends.second, ends.first}];
        if (opposite.empty())
        {
            m_waiting[ends].push_back(&link);
            return;
        }
        // The oldest one that waits: parallel links are paired in the order of the list.
        const LinkSpec& first = *opposite.front();
        opposite.erase(opposite.begin());
        m_topology.AddUnequalLink(ends.second,
                                  ends.first,
                                  {first.bandwidth, first.latency},
                                  {link.bandwidth, link.latency});
    }

    void CheckWaysBack() const
    {
        for (const auto& [ends, links] : m_waiting)
        {
            if (!links.empty())
            {
                const LinkSpec& link = *links.front();
                throw ConfigError(link.where,
                                  "the link from " + Quote(link.from) + " to " + Quote(link.to) +
                                      " has no way back; add one from " + Quote(link.to) + " to " +
                                      Quote(link.from) + ", or write direction: both");
            }
        }
    }

    const ExplicitTopology& m_description;
    Topology m_topology;
    std::map<std::string, VertexId> m_vertices;
    std::map<Ends, std::vector<const LinkSpec*>> m_waiting; // directions without a way back yet
    std::map<Ends, const LinkSpec*> m_firstBoth; // the first entry with these ends for both ways
    /// The first entry with the ends of an earlier one the other way round, after that.
    std::pair<const LinkSpec*, const LinkSpec*> m_mirrored;
    uint64_t m_mirroredCount = 0; // of all such entries
};

} // namespace

Topology
MakeExplicitTopology(const ExplicitTopology& description)
{
    return Builder(description).Build();
}

} // namespace nadi
