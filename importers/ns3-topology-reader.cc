// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-topology-reader.h"

#include "common/error.h"
#include "common/text.h"
#include "importers/ns3-quantities.h"
#include "importers/text-lines.h"

#include <fmt/format.h>

#include <array>

namespace nadi
{

namespace
{

constexpr std::array<const char*, 3> HEADER{"nodes", "switches", "links"};
constexpr std::array<const char*, 5> LINK{"source", "destination", "rate", "delay", "error-rate"};
/// nodes, GPUs of a server, NVSwitches, switches, links and the kind of GPU.
constexpr size_t WORDS_OF_SIMAI = 6;
/// A wrong count in the first line is refused before it fills the memory.
constexpr uint32_t MAX_NODES = 1U << 24;

/// Reads the lines one after the other, as each part of the file needs those before it. The first
/// line says how many ids of switches and how many links follow. The ids tell which nodes are
/// hosts, and so the names of all nodes, which links have at their ends.
class TopologyReader
{
  public:
    TopologyReader(const std::filesystem::path& file, const std::string& where)
        : m_text(ReadTextLines(file, where))
    {
    }

    Ns3Topology Read()
    {
        ReadHeader();
        ReadSwitches();
        NameNodes();
        ReadLinks();
        // The topology is only made here for the error that it throws where the links make no
        // network.
        MakeExplicitTopology(m_topology.graph);
        m_topology.header.source = std::move(m_text.source);
        return std::move(m_topology);
    }

  private:
    std::string Where(uint32_t line) const
    {
        return m_text.source->name + ":" + std::to_string(line);
    }

    /// The words of a line under `names`. Requires: the line has as many words.
    template <size_t N>
    ConfigNode MakeMap(const TextLine& line, const std::array<const char*, N>& names) const
    {
        // The words become a map, as in a configuration, so that errors name file, line and key.
        ConfigNode map = MakeWordNode("", line.number, *m_text.source);
        map.kind = ConfigNode::Kind::Map;
        for (size_t i = 0; i < N; ++i)
        {
            map.children.push_back(MakeWordNode(line.words[i], line.number, *m_text.source));
            map.children.back().key = names[i];
        }
        return map;
    }

    void ReadHeader();
    void ReadSwitches();
    void AddSwitch(const ConfigNode& word);
    void NameNodes();
    void ReadLinks();
    void ReadLink(const TextLine& line);
    const std::string& ReadNode(const ConfigNode& word) const;

    TextLines m_text;
    size_t m_next = 0; ///< of the lines
    uint32_t m_nodes = 0;
    uint32_t m_switches = 0;
    uint32_t m_links = 0;
    std::vector<bool> m_isSwitch; ///< by id
    Ns3Topology m_topology;
};

void
TopologyReader::ReadHeader()
{
    if (m_text.lines.empty())
    {
        throw ConfigError(m_text.source->name, "is empty; its first line is: nodes switches links");
    }
    const TextLine& line = m_text.lines.front();
    m_topology.graph.where = Where(line.number);
    // The number of words is wrong in general, but users of SimAI are told more.
    if (line.words.size() == WORDS_OF_SIMAI)
    {
        throw ConfigError(Where(line.number),
                          "is a topology of SimAI, which counts NVSwitches of their own and is not "
                          "read; the first line is: nodes switches links");
    }
    if (line.words.size() != HEADER.size())
    {
        throw ConfigError(Where(line.number),
                          fmt::format("has {} words; the first line is: nodes switches links",
                                      line.words.size()));
    }
    ConfigNode& root = m_topology.header.root;
    root = MakeMap(line, HEADER);
    root.Seal();
    m_nodes = ReadWholeNumber(root.children[0]);
    m_switches = ReadWholeNumber(root.children[1]);
    m_links = ReadWholeNumber(root.children[2]);
    if (m_nodes > MAX_NODES)
    {
        root.children[0].Fail(fmt::format("must be at most {}", MAX_NODES));
    }
    if (m_switches >= m_nodes)
    {
        root.children[1].Fail(fmt::format(
            "{} of {} nodes leave no host; nodes counts hosts too", m_switches, m_nodes));
    }
    m_next = 1;
}

/// As many ids as the header counts, in one line or several.
void
TopologyReader::ReadSwitches()
{
    m_isSwitch.assign(m_nodes, false);
    uint32_t left = m_switches;
    for (; left > 0 && m_next < m_text.lines.size(); ++m_next)
    {
        const TextLine& line = m_text.lines[m_next];
        if (line.words.size() > left)
        {
            throw ConfigError(Where(line.number),
                              fmt::format("has {} ids of switches where {} are left of the {} that "
                                          "line 1 counts; write those",
                                          line.words.size(),
                                          left,
                                          m_switches));
        }
        for (const std::string& word : line.words)
        {
            AddSwitch(MakeWordNode(word, line.number, *m_text.source));
        }
        left -= static_cast<uint32_t>(line.words.size());
    }
    if (left > 0)
    {
        throw ConfigError(
            m_text.source->name,
            fmt::format("ends before the ids of all {} switches that line 1 counts", m_switches));
    }
}

void
TopologyReader::AddSwitch(const ConfigNode& word)
{
    const uint32_t id = ReadWholeNumber(word);
    if (id >= m_nodes)
    {
        word.Fail(fmt::format("switch {} does not exist; ids go from 0 to {}", id, m_nodes - 1));
    }
    if (m_isSwitch[id])
    {
        word.Fail(fmt::format("switch {} is listed twice", id));
    }
    m_isSwitch[id] = true;
}

/// Hosts are ranks in the order of their ids. With switch 1 among nodes 0 to 2, node 0 is npu0 and
/// node 2 is npu1; `areHostsFirst` is false then, and the user is told that ranks and ids differ.
void
TopologyReader::NameNodes()
{
    ExplicitTopology& graph = m_topology.graph;
    for (uint32_t id = 0; id < m_nodes; ++id)
    {
        if (m_isSwitch[id])
        {
            m_topology.names.push_back("sw" + std::to_string(id));
            graph.switches.push_back(m_topology.names.back());
            continue;
        }
        m_topology.areHostsFirst = m_topology.areHostsFirst && graph.npuCount == id;
        m_topology.names.push_back("npu" + std::to_string(graph.npuCount++));
    }
}

void
TopologyReader::ReadLinks()
{
    for (; m_next < m_text.lines.size(); ++m_next)
    {
        ReadLink(m_text.lines[m_next]);
    }
    if (m_topology.graph.links.size() != m_links)
    {
        m_topology.header.root.children[2].Fail(
            fmt::format("the file has {}, line 1 counts {}; they should agree",
                        CountText(m_topology.graph.links.size(), "link"),
                        m_links));
    }
}

void
TopologyReader::ReadLink(const TextLine& line)
{
    if (line.words.size() != LINK.size())
    {
        throw ConfigError(Where(line.number),
                          fmt::format("has {} words; a link is: source destination rate delay "
                                      "error-rate",
                                      line.words.size()));
    }
    ConfigNode link = MakeMap(line, LINK);
    link.Seal();
    LinkSpec spec;
    spec.from = ReadNode(link.children[0]);
    spec.to = ReadNode(link.children[1]);
    spec.bandwidth = ReadNs3Rate(link.children[2]);
    spec.latency = ReadNs3Time(link.children[3]);
    spec.where = Where(line.number);
    // Losses become faults (ns3-faults.cc), as Nadi's topology has none. The list has the order of
    // the links.
    m_topology.losses.push_back(ReadProbability(link.children[4]));
    m_topology.graph.links.push_back(spec);
}

const std::string&
TopologyReader::ReadNode(const ConfigNode& word) const
{
    const uint32_t id = ReadWholeNumber(word);
    if (id >= m_nodes)
    {
        word.Fail(fmt::format("node {} does not exist; ids go from 0 to {}", id, m_nodes - 1));
    }
    return m_topology.names[id];
}

} // namespace

Ns3Topology
ReadNs3Topology(const std::filesystem::path& file, const std::string& where)
{
    return TopologyReader(file, where).Read();
}

} // namespace nadi
