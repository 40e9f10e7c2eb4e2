// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-other-keys.h"

#include "importers/import-values.h"

#include <map>

namespace nadi
{

namespace
{

/// A key of 0 or 1, one of which says what Nadi does anyway.
struct Usual
{
    bool isOn;
    std::string same;  ///< what that value says
    std::string other; ///< why other values have no counterpart
};

const std::map<std::string, Usual> USUAL{
    {"USE_DYNAMIC_PFC_THRESHOLD",
     {true, "pauses by the free buffer", "its switches pause by the free buffer whatever it says"}},
    {"L2_BACK_TO_ZERO", {false, "go-back-n", "a loss goes back to the first missing frame"}},
    {"GLOBAL_T",
     {false, "round trips of each path", "round trips are of each path, not of the longest one"}},
    {"FAST_REACT",
     {true, "hpcc acts on each acknowledgement", "hpcc acts on each acknowledgement"}},
    {"MULTI_RATE", {false, "hpcc has one rate for all hops", "hpcc has one rate for all hops"}},
    {"SAMPLE_FEEDBACK", {false, "hpcc reads every record", "hpcc reads every record"}},
    {"NIC_TOTAL_PAUSE_TIME",
     {false, "NICs never pause of themselves", "NICs never pause of themselves"}},
    {"RATE_BOUND", {true, "senders are paced", "senders are always paced"}},
    {"ACK_HIGH_PRIO", {true, "acknowledgements go first", "acknowledgements always go first"}}};

const std::map<std::string, std::string> NS3_KEYS_WITHOUT_COUNTERPART{
    {"FLOW_FILE", "messages come from --workload"},
    {"TRACE_FILE", "write output.pcap for the links to be captured"},
    {"TRACE_OUTPUT_FILE", "write output.pcap"},
    {"ENABLE_TRACE", "write output.pcap"},
    {"PFC_OUTPUT_FILE", "links.csv counts pauses"},
    {"QLEN_MON_FILE", "write output.series, such as 10 us"},
    {"QLEN_MON_START", "output.series covers the whole run"},
    {"QLEN_MON_END", "output.series covers the whole run"},
    {"SIMULATOR_STOP_TIME", "a run ends with its job"},
    {"PAUSE_TIME", "a pause lasts until it is lifted"},
    {"DATA_RATE", "the topology file has the rates"},
    {"LINK_DELAY", "the topology file has the latencies"},
    {"L2_CHUNK_SIZE", "of L2_BACK_TO_ZERO"},
    {"DCTCP_RATE_AI", "a rate there; dctcp's additive-increase counts frames per round trip"},
    {"INT_MULTI", "telemetry counts single bytes"},
    {"PINT_LOG_BASE", "of HPCC-PINT"},
    {"PINT_PROB", "of HPCC-PINT"}};

} // namespace

const std::vector<std::string>&
Ns3OtherKeys()
{
    static const std::vector<std::string> keys = []
    {
        std::vector<std::string> all;
        for (const auto& [key, usual] : USUAL)
        {
            all.push_back(key);
        }
        for (const auto& [key, reason] : NS3_KEYS_WITHOUT_COUNTERPART)
        {
            all.push_back(key);
        }
        return all;
    }();
    return keys;
}

void
ImportNs3OtherKey(const ConfigNode& node, ImportDraft& draft)
{
    const auto usual = USUAL.find(node.key);
    if (usual == USUAL.end())
    {
        return draft.Drop(node, NS3_KEYS_WITHOUT_COUNTERPART.at(node.key));
    }
    const bool isSame = ReadFlag(node) == usual->second.isOn;
    isSame ? draft.Note(node, "the same: " + usual->second.same)
           : draft.Drop(node, usual->second.other);
}

} // namespace nadi
