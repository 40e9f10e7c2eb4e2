// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-ns3.h"

#include "common/unit-parser.h"
#include "importers/import-values.h"
#include "importers/ns3-congestion-control.h"
#include "importers/ns3-faults.h"
#include "importers/ns3-marks.h"
#include "importers/ns3-other-keys.h"
#include "importers/ns3-quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

const std::string PACKET = "network.packet.";
constexpr int64_t MIB = 1024 * 1024;

/// Without telemetry. These fit its times on a clock of 1 ns; its source counts 36 and 48 bytes:
/// see docs/comparison.md.
constexpr uint32_t HEADER_BYTES = 48;
constexpr uint32_t CONTROL_BYTES = 60;

/// What the source takes for keys that are absent, where that could make a difference.
const std::vector<SourceDefault> NS3_DEFAULTS{{"PACKET_PAYLOAD_SIZE", "1000"},
                                              {"CC_MODE", "1"},
                                              {"ENABLE_QCN", "1"},
                                              {"HAS_WIN", "1"},
                                              {"VAR_WIN", "0"},
                                              {"BUFFER_SIZE", "16"},
                                              {"L2_ACK_INTERVAL", "0"},
                                              {"ALPHA_RESUME_INTERVAL", "55"},
                                              {"RATE_DECREASE_INTERVAL", "4"},
                                              {"FAST_RECOVERY_TIMES", "5"},
                                              {"CLAMP_TARGET_RATE", "0"},
                                              {"MIN_RATE", "100Mb/s"},
                                              {"U_TARGET", "0.95"},
                                              {"MI_THRESH", "5"},
                                              {"USE_DYNAMIC_PFC_THRESHOLD", "1"},
                                              {"L2_BACK_TO_ZERO", "0"},
                                              {"GLOBAL_T", "1"},
                                              {"FAST_REACT", "1"},
                                              {"MULTI_RATE", "1"},
                                              {"SAMPLE_FEEDBACK", "0"},
                                              {"NIC_TOTAL_PAUSE_TIME", "0"},
                                              {"RATE_BOUND", "1"},
                                              {"ACK_HIGH_PRIO", "0"}};

/// Parameters of rate controls for which the source has no value that works: its gain is 0, its
/// timer ends at once, its steps are no rates.
const std::vector<SourceDefault> UNUSABLE_NS3_DEFAULTS{
    {"EWMA_GAIN", "0"}, {"RP_TIMER", "0"}, {"RATE_AI", "none"}, {"RATE_HAI", "none"}};

/// Maps the keys in the order of the file, the defaults behind them.
///
/// Some keys decide something together, and have files of their own: the congestion control and
/// its parameters (ns3-congestion-control), the thresholds of marks (ns3-marks), failures and
/// losses (ns3-faults). Keys that set nothing are in ns3-other-keys.
class Ns3Import
{
  public:
    Ns3Import(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft)
        : m_root(root)
        , m_topology(topology)
        , m_draft(draft)
        , m_mode(ReadNs3Mode(root))
    {
    }

    void Run()
    {
        // First, wherever it stands in the file, so that the name of the control is the first key
        // of the mapping that its parameters are added to.
        ImportNs3Control(*m_root.Find("CC_MODE"), m_mode, m_draft);
        for (const ConfigNode& node : m_root.children)
        {
            Import(node);
        }
        ImportNs3Marks(m_root, m_topology, m_draft);
        ImportNs3Faults(m_root, m_topology, m_draft);
    }

  private:
    using Handler = void (Ns3Import::*)(const ConfigNode&);
    static const std::map<std::string, Handler>& Handlers();

    void Import(const ConfigNode& node);
    void ImportUnknown(const ConfigNode& node);

    void ImportPayload(const ConfigNode& node);
    void ImportBuffer(const ConfigNode& node);
    void ImportVariableWindow(const ConfigNode& node);

    /// Whether there are windows at all.
    void ImportWindow(const ConfigNode& node)
    {
        const bool hasWindow = ReadFlag(node);
        m_draft.Map(node, PACKET + "window", hasWindow ? "bdp" : "none");
        if (!hasWindow && HasWindowOfItsOwn())
        {
            m_draft.Drop(
                node,
                fmt::format("{} keeps a window of its own; there it has none, and only its "
                            "rate limits a queue pair",
                            m_mode.control));
        }
    }

    /// In Nadi these controls set the window together with the rate.
    bool HasWindowOfItsOwn() const
    {
        return m_mode.control == "hpcc" || m_mode.control == "dctcp";
    }

    /// The source forgets at each frame how much it has acknowledged.
    void ImportAcknowledge(const ConfigNode& node)
    {
        // The value is read only so that a text that is no number is refused.
        ReadNumber(node);
        m_draft.Set(PACKET + "acknowledge", "frame");
        m_draft.Note(node, PACKET + "acknowledge: frame, as there from that many bytes on");
    }

    void ImportFlowResults(const ConfigNode& node)
    {
        m_draft.Map(node, "output.flows", "on");
    }

    void ImportTopology(const ConfigNode& node)
    {
        m_draft.Note(node, "network.topology, with the links of that file");
    }

    const ConfigNode& m_root;
    const Ns3Topology& m_topology;
    ImportDraft& m_draft;
    Ns3Mode m_mode;
};

const std::map<std::string, Ns3Import::Handler>&
Ns3Import::Handlers()
{
    static const std::map<std::string, Handler> handlers{
        {"TOPOLOGY_FILE", &Ns3Import::ImportTopology},
        {"PACKET_PAYLOAD_SIZE", &Ns3Import::ImportPayload},
        {"BUFFER_SIZE", &Ns3Import::ImportBuffer},
        {"HAS_WIN", &Ns3Import::ImportWindow},
        {"VAR_WIN", &Ns3Import::ImportVariableWindow},
        {"L2_ACK_INTERVAL", &Ns3Import::ImportAcknowledge},
        {"FCT_OUTPUT_FILE", &Ns3Import::ImportFlowResults}};
    return handlers;
}

bool
Contains(const std::vector<std::string>& keys, const std::string& key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void
Ns3Import::Import(const ConfigNode& node)
{
    if (node.key == "CC_MODE" || Contains(Ns3MarkKeys(), node.key) ||
        Contains(Ns3FaultKeys(), node.key))
    {
        return; // before and after all others
    }
    if (Contains(Ns3ControlKeys(), node.key))
    {
        return ImportNs3Control(node, m_mode, m_draft);
    }
    if (const auto handler = Handlers().find(node.key); handler != Handlers().end())
    {
        return (this->*handler->second)(node);
    }
    if (Contains(Ns3OtherKeys(), node.key))
    {
        return ImportNs3OtherKey(node, m_draft);
    }
    ImportUnknown(node);
}

void
Ns3Import::ImportUnknown(const ConfigNode& node)
{
    std::vector<std::string> known;
    for (const auto& keys : {Ns3ControlKeys(), Ns3MarkKeys(), Ns3FaultKeys(), Ns3OtherKeys()})
    {
        known.insert(known.end(), keys.begin(), keys.end());
    }
    for (const auto& [key, handler] : Handlers())
    {
        known.push_back(key);
    }
    m_draft.DropUnknown(node, known);
}

/// With the headers that go with it.
void
Ns3Import::ImportPayload(const ConfigNode& node)
{
    const uint32_t payload = ReadWholeNumber(node);
    if (payload == 0)
    {
        node.Fail("must not be 0");
    }
    const std::string header = ToText(Bytes{HEADER_BYTES + m_mode.telemetryOfData});
    const std::string control = ToText(Bytes{CONTROL_BYTES + m_mode.telemetryOfControl});
    m_draft.Set(PACKET + "payload", fmt::format("{} B", payload));
    m_draft.Set(PACKET + "header", header);
    m_draft.Set(PACKET + "control-frame", control);
    m_draft.Note(node,
                 fmt::format("{}payload: {} B; header: {}, control-frame: {}, which fit its "
                             "times (docs/comparison.md)",
                             PACKET,
                             payload,
                             header,
                             control));
}

/// MB of 2^20 bytes; pauses cannot be switched off there.
void
Ns3Import::ImportBuffer(const ConfigNode& node)
{
    const uint32_t mebibytes = ReadWholeNumber(node);
    if (mebibytes == 0)
    {
        node.Fail("must not be 0");
    }
    // A port pauses its sender at a share alpha of the free buffer. In the source alpha is larger
    // for ports that are faster than NICs. Nadi has one alpha, so the line says where that matters.
    const std::vector<Bandwidth> ports = m_topology.SwitchPortRates();
    const bool haveFaster = std::any_of(
        ports.begin(), ports.end(), [&](Bandwidth rate) { return rate > m_topology.NicRate(); });
    const std::string buffer = ToText(Bytes{mebibytes * MIB});
    m_draft.Set(PACKET + "buffer", buffer);
    m_draft.Set(PACKET + "pfc", "on");
    m_draft.Note(node,
                 fmt::format("{}buffer: {} (MB of 2^20 bytes); pfc: on, as always there{}",
                             PACKET,
                             buffer,
                             haveFaster ? "; alpha 1/8 for all ports, more there for ports faster "
                                          "than NICs"
                                        : ""));
}

/// Whether windows shrink with the rate.
void
Ns3Import::ImportVariableWindow(const ConfigNode& node)
{
    const bool follows = ReadFlag(node);
    if (m_mode.control == "none")
    {
        return m_draft.Note(node, "nothing: rates do not change");
    }
    // In the source VAR_WIN decides whether windows follow rates. In Nadi the control decides.
    const bool followsHere = HasWindowOfItsOwn();
    const std::string what =
        m_mode.control + (followsHere ? "'s window follows its rate" : "'s window is fixed");
    follows == followsHere ? m_draft.Note(node, "the same: " + what) : m_draft.Drop(node, what);
}

/// Parameters that the source cannot do without.
void
NoteUnusableDefaults(const ConfigNode& root, const SourceDefaults& defaults, ImportDraft& draft)
{
    // Only parameters of the chosen control are told: HPCC needs no RP_TIMER.
    const Ns3Mode mode = ReadNs3Mode(defaults.Complete());
    for (const SourceDefault& absent : UNUSABLE_NS3_DEFAULTS)
    {
        if (root.Find(absent.key) == nullptr && IsNs3Parameter(absent.key, mode))
        {
            draft.Drop(defaults.MakeNode(absent),
                       "nothing works with that there; Nadi's default is taken");
        }
    }
}

} // namespace

void
ImportNs3Config(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft)
{
    // Defaults stand in the draft like keys of the file, so that the user sees what was taken.
    const SourceDefaults defaults(root, NS3_DEFAULTS);
    Ns3Import(defaults.Complete(), topology, draft).Run();
    NoteUnusableDefaults(root, defaults, draft);
}

} // namespace nadi
