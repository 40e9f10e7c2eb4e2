// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-faults.h"

#include "common/unit-parser.h"
#include "importers/import-values.h"
#include "importers/ns3-quantities.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

const std::string FAULTS_PATH = "network.faults";

/// Failures there count from this time of the simulation on.
const SimTime BEGIN_OF_FAILURES = SimTime::FromUs(2'000'000);

/// The name that the topology file has for the node of this id. Throws ConfigError.
const std::string&
ReadEnd(const ConfigNode& node, const Ns3Topology& topology)
{
    const uint32_t id = ReadWholeNumber(node);
    if (id >= topology.names.size())
    {
        node.Fail(fmt::format(
            "node {} does not exist; ids go from 0 to {}", id, topology.names.size() - 1));
    }
    return topology.names[id];
}

/// `microseconds node node`
void
ImportLinkDown(const ConfigNode& node,
               const Ns3Topology& topology,
               ImportDraft& draft,
               Json& faults)
{
    const std::vector<const ConfigNode*> items = ReadItems(node);
    const auto refuse = [&node]() { node.Fail("is not valid; write a time in us and two nodes"); };
    // The list is empty in a file of JSON that says `"link_down": []`.
    if (items.empty())
    {
        refuse();
    }
    const SimTime at = ReadMicroseconds(*items.front());
    // At time 0 the two nodes have no effect, so their number is not checked.
    if (at == SimTime{})
    {
        return draft.Note(node, "nothing: at time 0 no link goes down");
    }
    if (items.size() != 3)
    {
        refuse();
    }
    const std::string& from = ReadEnd(*items[1], topology);
    const std::string& to = ReadEnd(*items[2], topology);
    // Refused here, because the error can still name the line of the source's file.
    if (!topology.AreJoined(from, to))
    {
        node.Fail("no link joins " + from + " and " + to + "; name the two ends of one");
    }
    const std::string time = ToText(BEGIN_OF_FAILURES + at);
    faults.push_back({{"at", time}, {"link", {from, to}}, {"state", "down"}});
    draft.Set("network.reroute-after", "0 ns");
    draft.Note(node,
               fmt::format("{}: {} to {} down at {} (2 s later, as there); network.reroute-after: "
                           "0 ns",
                           FAULTS_PATH,
                           from,
                           to,
                           time));
}

bool
HaveOwnRates(const Ns3Topology& topology)
{
    return std::any_of(
        topology.losses.begin(), topology.losses.end(), [](double loss) { return loss > 0; });
}

/// A fault for each pair of nodes that loses frames; of parallel links the last one counts.
void
AddLossesByLink(const Ns3Topology& topology, double common, Json& faults)
{
    std::map<std::pair<std::string, std::string>, double> losses;
    for (size_t i = 0; i < topology.losses.size(); ++i)
    {
        const LinkSpec& link = topology.graph.links[i];
        // Links have no direction, so both orders of their ends are one key.
        losses[std::minmax(link.from, link.to)] =
            topology.losses[i] > 0 ? topology.losses[i] : common;
    }
    for (const auto& [ends, loss] : losses)
    {
        if (loss > 0)
        {
            faults.push_back({{"link", {ends.first, ends.second}}, {"loss", loss}});
        }
    }
}

double
ReadCommonRate(const ConfigNode& root)
{
    const ConfigNode* node = root.Find("ERROR_RATE_PER_LINK");
    return node == nullptr ? 0 : ReadProbability(*node);
}

/// One fault for all links where no link has a rate of its own, else one for each pair of nodes
/// whose links lose frames.
void
ImportLosses(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft, Json& faults)
{
    const ConfigNode* node = root.Find("ERROR_RATE_PER_LINK");
    const double common = ReadCommonRate(root);
    const bool haveOwnRates = HaveOwnRates(topology);
    if (haveOwnRates)
    {
        AddLossesByLink(topology, common, faults);
    }
    else if (common > 0)
    {
        faults.push_back({{"link", "all"}, {"loss", common}});
    }
    if (node != nullptr)
    {
        draft.Note(*node,
                   common == 0    ? "nothing: 0 loses no frame"
                   : haveOwnRates ? FAULTS_PATH + ": loss of each link that has no rate of its own"
                                  : FAULTS_PATH + ": loss on all links");
    }
}

} // namespace

const std::vector<std::string>&
Ns3FaultKeys()
{
    static const std::vector<std::string> keys{"LINK_DOWN", "ERROR_RATE_PER_LINK"};
    return keys;
}

void
ImportNs3Faults(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft)
{
    Json faults = Json::array();
    ImportLosses(root, topology, draft, faults);
    if (const ConfigNode* node = root.Find("LINK_DOWN"))
    {
        ImportLinkDown(*node, topology, draft, faults);
    }
    if (!faults.empty())
    {
        draft.Set(FAULTS_PATH, faults);
    }
}

} // namespace nadi
