// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-congestion-control.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "importers/import-values.h"
#include "importers/ns3-quantities.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

const std::string CONTROL_PATH = "network.packet.congestion-control";

/// Records of five hops of 8 B, and their count.
constexpr uint32_t HPCC_TELEMETRY = 5 * 8 + 2;
constexpr uint32_t TIMELY_TIMESTAMP = 8;

const std::vector<Ns3Mode> MODES{
    {1, "dcqcn", "notification-interval: 0 ns, as each marked frame is answered there", 0, 0},
    {3, "hpcc", "", HPCC_TELEMETRY, HPCC_TELEMETRY},
    {7, "timely", "thresholds of 50 and 500 us and a round trip of 20 us", TIMELY_TIMESTAMP, 0},
    {8, "dctcp", "its rates are windows here", 0, 0},
    {10, "none", "no counterpart: HPCC-PINT; hpcc is the nearest", 0, 0},
};

/// What the source has without a key: of its RDMA model.
struct Fixed
{
    std::string control;
    std::string parameter;
    std::string value;
};

const std::vector<Fixed> FIXED{{"dcqcn", "notification-interval", "0 ns"},
                               {"timely", "min-round-trip", "20 us"},
                               {"timely", "low-threshold", "50 us"},
                               {"timely", "high-threshold", "500 us"}};

/// How the value of a parameter is written there.
enum class Kind
{
    Microseconds,
    Rate,
    Fraction,
    Count,
    Flag,
};

/// A parameter, under the same name in each of `controls`.
struct Parameter
{
    std::string key;
    std::string name;
    Kind kind;
    std::vector<std::string> controls;
};

const std::vector<Parameter> PARAMETERS{
    {"ALPHA_RESUME_INTERVAL", "alpha-interval", Kind::Microseconds, {"dcqcn"}},
    {"RATE_DECREASE_INTERVAL", "decrease-interval", Kind::Microseconds, {"dcqcn"}},
    {"CLAMP_TARGET_RATE", "clamp-target", Kind::Flag, {"dcqcn"}},
    {"RP_TIMER", "increase-interval", Kind::Microseconds, {"dcqcn"}},
    {"EWMA_GAIN", "gain", Kind::Fraction, {"dcqcn", "dctcp"}},
    {"FAST_RECOVERY_TIMES", "fast-recovery-stages", Kind::Count, {"dcqcn"}},
    {"RATE_AI", "additive-increase", Kind::Rate, {"dcqcn", "hpcc", "timely"}},
    {"RATE_HAI", "hyper-increase", Kind::Rate, {"dcqcn", "timely"}},
    {"MIN_RATE", "min-rate", Kind::Rate, {"dcqcn", "hpcc", "timely", "dctcp"}},
    {"U_TARGET", "target-utilization", Kind::Fraction, {"hpcc"}},
    {"MI_THRESH", "max-stage", Kind::Count, {"hpcc"}},
};

Json
ReadValue(const ConfigNode& node, Kind kind)
{
    switch (kind)
    {
    case Kind::Microseconds:
        return ToText(ReadMicroseconds(node));
    case Kind::Rate:
        return ToNetworkText(ReadNs3Rate(node));
    case Kind::Fraction:
        return ReadProbability(node);
    case Kind::Count:
        return ReadWholeNumber(node);
    case Kind::Flag:
        break;
    }
    return ReadFlag(node);
}

void
ImportMode(const ConfigNode& node, const Ns3Mode& mode, ImportDraft& draft)
{
    // "none" has no parameters and is written as a word. The other controls are maps, to which
    // parameters are added.
    if (mode.control == "none")
    {
        draft.Set(CONTROL_PATH, mode.control);
    }
    else
    {
        draft.Set(CONTROL_PATH + ".name", mode.control);
    }
    // The source has no keys for these values. Nadi's defaults may differ, so they are written.
    for (const Fixed& fixed : FIXED)
    {
        if (fixed.control == mode.control)
        {
            draft.Set(CONTROL_PATH + "." + fixed.parameter, fixed.value);
        }
    }
    draft.Note(node,
               CONTROL_PATH + ": " + mode.control +
                   (mode.note.empty() ? "" : " (" + mode.note + ")"));
}

} // namespace

Ns3Mode
ReadNs3Mode(const ConfigNode& root)
{
    const uint32_t number = ReadWholeNumber(*root.Find("CC_MODE"));
    const auto found = std::find_if(
        MODES.begin(), MODES.end(), [&](const Ns3Mode& mode) { return mode.number == number; });
    // A number without a control, such as 12, is no error in the source and chooses none.
    return found != MODES.end()
               ? *found
               : Ns3Mode{number, "none", "that number chooses no rate control there"};
}

const std::vector<std::string>&
Ns3ControlKeys()
{
    static const std::vector<std::string> keys = []
    {
        std::vector<std::string> all{"CC_MODE"};
        for (const Parameter& parameter : PARAMETERS)
        {
            all.push_back(parameter.key);
        }
        return all;
    }();
    return keys;
}

bool
IsNs3Parameter(const std::string& key, const Ns3Mode& mode)
{
    const auto found = std::find_if(PARAMETERS.begin(),
                                    PARAMETERS.end(),
                                    [&](const Parameter& known) { return known.key == key; });
    return found != PARAMETERS.end() &&
           std::find(found->controls.begin(), found->controls.end(), mode.control) !=
               found->controls.end();
}

void
ImportNs3Control(const ConfigNode& node, const Ns3Mode& mode, ImportDraft& draft)
{
    if (node.key == "CC_MODE")
    {
        return ImportMode(node, mode, draft);
    }
    // Requires: the key is one of Ns3ControlKeys.
    const Parameter& parameter =
        *std::find_if(PARAMETERS.begin(),
                      PARAMETERS.end(),
                      [&](const Parameter& candidate) { return candidate.key == node.key; });
    // The value is read before the mode is asked, so that a wrong value is an error in any mode.
    const Json value = ReadValue(node, parameter.kind);
    if (!IsNs3Parameter(node.key, mode))
    {
        return draft.Note(node,
                          fmt::format("nothing: of {}, and CC_MODE {} is {}",
                                      JoinWithOr(parameter.controls),
                                      mode.number,
                                      mode.control));
    }
    draft.Map(node, CONTROL_PATH + "." + parameter.name, value);
}

} // namespace nadi
