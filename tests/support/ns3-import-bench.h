// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/topology-file.h"
#include "tests/support/import-bench.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

using KeyLines = std::vector<std::pair<std::string, std::string>>;

/// Four hosts on one switch.
inline const std::string STAR = "5 1 4\n"
                                "4\n"
                                "0 4 400Gbps 0.0005ms 0\n"
                                "1 4 400Gbps 0.0005ms 0\n"
                                "4 2 400000000000bps 500ns 0\n"
                                "3 4 400Gb/s 0.0000005 0\n";

/// Four hosts below two leaves, and a spine by faster links.
inline const std::string TREE = "7 3 6\n"
                                "4 5\n"
                                "6\n"
                                "0 4 100Gbps 1us 0\n"
                                "1 4 100Gbps 1us 0\n"
                                "2 5 100Gbps 1us 0\n"
                                "3 5 100Gbps 1us 0\n"
                                "4 6 400Gbps 2us 0\n"
                                "5 6 400Gbps 2us 0\n";

/// Every key that a configuration may have.
inline const KeyLines KEYS{
    {"ENABLE_QCN", "1"},
    {"USE_DYNAMIC_PFC_THRESHOLD", "1"},
    {"PACKET_PAYLOAD_SIZE", "1000"},
    {"TOPOLOGY_FILE", "t.txt"},
    {"FLOW_FILE", "flow.txt"},
    {"TRACE_FILE", "trace.txt"},
    {"TRACE_OUTPUT_FILE", "mix.tr"},
    {"FCT_OUTPUT_FILE", "fct.txt"},
    {"PFC_OUTPUT_FILE", "pfc.txt"},
    {"QLEN_MON_FILE", "qlen.txt"},
    {"QLEN_MON_START", "0"},
    {"QLEN_MON_END", "20000"},
    {"SIMULATOR_STOP_TIME", "40000000000000.00"},
    {"CC_MODE", "12"},
    {"ALPHA_RESUME_INTERVAL", "1.5"},
    {"RATE_DECREASE_INTERVAL", "4"},
    {"CLAMP_TARGET_RATE", "0"},
    {"RP_TIMER", "900 "},
    {"EWMA_GAIN", "0.00390625"},
    {"FAST_RECOVERY_TIMES", "1"},
    {"RATE_AI", "50Mb/s"},
    {"RATE_HAI", "100Mb/s"},
    {"MIN_RATE", "1000Mb/s"},
    {"DCTCP_RATE_AI", "1000Mb/s"},
    {"ERROR_RATE_PER_LINK", "0.0000"},
    {"L2_CHUNK_SIZE", "4000"},
    {"L2_ACK_INTERVAL", "1"},
    {"L2_BACK_TO_ZERO", "0"},
    {"HAS_WIN", "1"},
    {"GLOBAL_T", "0"},
    {"VAR_WIN", "1"},
    {"FAST_REACT", "1"},
    {"U_TARGET", "0.9"},
    {"MI_THRESH", "5"},
    {"INT_MULTI", "1"},
    {"MULTI_RATE", "0"},
    {"SAMPLE_FEEDBACK", "0"},
    {"PINT_LOG_BASE", "1.05"},
    {"PINT_PROB", "1.0"},
    {"NIC_TOTAL_PAUSE_TIME", "0"},
    {"RATE_BOUND", "1"},
    {"ACK_HIGH_PRIO", "0"},
    {"LINK_DOWN", "0 0 0"},
    {"ENABLE_TRACE", "0"},
    {"KMAX_MAP", "2 100000000000 1600 400000000000 3200"},
    {"KMIN_MAP", "2 100000000000 400 400000000000 800"},
    {"PMAX_MAP", "2 100000000000 0.2 400000000000 0.2"},
    {"BUFFER_SIZE", "32"},
};

inline std::string
TextOf(const KeyLines& lines)
{
    std::string text;
    for (const auto& [key, value] : lines)
    {
        text += key + " " + value + "\n";
    }
    return text;
}

/// The keys with other values for some; without those whose other value is empty.
inline std::string
With(const std::map<std::string, std::string>& changes)
{
    KeyLines lines;
    for (const auto& [key, value] : KEYS)
    {
        const auto change = changes.find(key);
        if (change == changes.end())
        {
            lines.emplace_back(key, value);
        }
        else if (!change->second.empty())
        {
            lines.emplace_back(key, change->second);
        }
    }
    return TextOf(lines);
}

/// Imports a configuration of lines (or JSON) and a topology.
class Ns3ImportBench : public ImportBench
{
  public:
    explicit Ns3ImportBench(const std::string& config,
                            const std::string& topology = STAR,
                            const std::string& logical = "[\"4\"]")
        : ImportBench("import-ns3")
    {
        Scratch().Write("t.txt", topology);
        Inputs().network = Scratch().Write("config.txt", config);
        Inputs().system = Scratch().Write("s.json", "{}");
        Inputs().logicalTopology = Scratch().Write("l.json", "{\"logical-dims\": " + logical + "}");
    }

    PacketOptions ReadPacket() const
    {
        return Read().network.packet;
    }

    ExplicitTopology ReadTopology() const
    {
        const ImportedFile file = Run().topology.value();
        return ReadTopologyFile(Scratch().Write(file.path.filename().string(), file.text), "");
    }

    /// What became of a key, or nothing.
    std::string Outcome(const std::string& key) const
    {
        for (const std::string& line : Run().lines)
        {
            const size_t at = line.find(": " + key + ": ");
            if (at != std::string::npos)
            {
                return Scratch().WithoutPath(line.substr(line.find(" -> ") + 4));
            }
        }
        return "";
    }
};

} // namespace nadi::test
