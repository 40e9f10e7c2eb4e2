// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/cost-parameters.h"

#include "common/check.h"
#include "system/library/nccl/presets.h"

#include <cstring>
#include <utility>

namespace nadi::nccl
{

namespace
{

constexpr const char* FROM_PRESET = "auto";

/// A key that may be "auto" or a value of the kind, not below 0.
ParameterSpec
Cost(const std::string& name, ParameterKind kind, const std::string& help)
{
    return {name,
            kind,
            FROM_PRESET,
            help + " The preset has it where it is auto.",
            {FROM_PRESET},
            {.least = 0, .isLeastAllowed = true}};
}

ParameterSpec
Time(const std::string& name, const std::string& help)
{
    return Cost(name, ParameterKind::Duration, help);
}

/// Rates are multiplied with shares and then divide bytes, so a share of 0 is refused.
ParameterSpec
Share(const std::string& name, const std::string& help)
{
    ParameterSpec spec = Cost(name, ParameterKind::Number, help);
    spec.range.isLeastAllowed = false;
    return spec;
}

ParameterSpec
Rate(const std::string& name, const std::string& help)
{
    return Cost(name, ParameterKind::Rate, help);
}

/// `make`(name-ll, "HELP with LL."), and the same for LL128 and Simple.
template <class Make>
void
AddByProtocol(std::vector<ParameterSpec>& specs,
              Make make,
              const std::string& name,
              const std::string& help)
{
    specs.push_back(make(name + "-ll", help + " with LL."));
    specs.push_back(make(name + "-ll128", help + " with LL128."));
    specs.push_back(make(name + "-simple", help + " with Simple."));
}

void
AddRates(std::vector<ParameterSpec>& specs, const std::string& prefix, const std::string& what)
{
    specs.push_back(Share(prefix + "rate-simple",
                          "The part of the rate of " + what + " that rings get with Simple."));
    specs.push_back(Share(prefix + "rate-ll128",
                          "The part of the rate of Simple that LL128 has on " + what + "."));
    specs.push_back(
        Share(prefix + "rate-ll", "The part of the rate of Simple that LL has on " + what + "."));
}

void
AddGpuSpecs(std::vector<ParameterSpec>& specs)
{
    specs.push_back(Time("launch-floor", "The least time of a call where each GPU has a process."));
    specs.push_back(Time("launch-of-each",
                         "The least time of a call, for each GPU of a process with several."));
    specs.push_back(Time("p2p-launch-of-each",
                         "The least time of grouped sends and receives, for each GPU of a process "
                         "with several."));
    specs.push_back(Time("blocking-floor", "The least time of a call that the host waits for."));
    AddByProtocol(specs, Time, "base", "The time in which a kernel starts");
    AddByProtocol(specs, Time, "hop", "The latency of a step of a ring inside a node");
    AddByProtocol(specs, Time, "tree-hop", "The latency of a step of a tree inside a node");
    specs.push_back(Time("channel-start", "The time that each channel adds to the start."));
    specs.push_back(Rate("channel-rate", "The rate of one channel with LL."));
    AddRates(specs, "", "the links inside a node");
    specs.push_back(
        Share("chain-rate", "The part of the rate of a ring that a broadcast or reduce has."));
    specs.push_back(
        Share("reduce-rate", "The part of the rate of an all-gather that a reduce-scatter has."));
    specs.push_back(
        Share("p2p-rate", "The part of the rate of a ring that sends have inside a node."));
    specs.push_back(Time("p2p-hop", "The time that each peer inside the node adds to sends."));
    specs.push_back(Rate("p2p-channel", "The rate of one channel of a send inside a node."));
    specs.push_back(Cost("skew",
                         ParameterKind::Number,
                         "How far ranks drift apart inside a node: a run of t us of transfer takes "
                         "this times the square root of t longer."));
    specs.push_back(Share("nvls-rate", "The part of the rate of the links that NVLS has."));
    specs.push_back(Share("nvls-switch-rate",
                          "The part of the rate of the links that a GPU drives with NVLS where the "
                          "network computes, all that it sends counted."));
    specs.push_back(Time("nvls-base", "The time in which NVLS starts."));
    specs.push_back(Time("nvls-channel", "The time that each channel adds to the start of NVLS."));
    specs.push_back(Time("nvls-loop", "The time that each loop of NVLS takes beside its data."));
    specs.push_back(Share("nvls-fill", "The number of loops until the pipeline of NVLS is full."));
}

void
AddNetworkSpecs(std::vector<ParameterSpec>& specs)
{
    AddRates(specs, "net-", "the NICs");
    specs.push_back(
        Share("net-tree-rate", "The part of the rate of a ring that a tree has between nodes."));
    specs.push_back(Share("net-nvls-tree-rate",
                          "The part of the rate of a ring that NVLSTree has between nodes."));
    AddByProtocol(specs, Time, "net-hop", "The latency of a step of a ring between nodes");
    AddByProtocol(specs, Time, "net-tree-hop", "The latency of a step of a tree between nodes");
    specs.push_back(Time("net-rendezvous",
                         "The time that a message of LL waits for the consent of the receiver, "
                         "where it is longer than 4 KiB and the transport is libfabric."));
    specs.push_back(Time("net-nvls-tree-hop", "The latency of a step of NVLSTree between nodes."));
    specs.push_back(Share("net-tree-fill",
                          "The number of chunks that each hop of a tree between nodes waits for "
                          "until the tree is full."));
    specs.push_back(Share("net-chain-fill",
                          "The number of chunks of a chain between nodes that each call of many in "
                          "a row waits for."));
    specs.push_back(Share("net-all-to-all-rate",
                          "The part of the rate of a ring that an all-to-all has between nodes."));
    specs.push_back(Time("net-pair",
                         "The time that each peer on another node adds to an all-to-all, and the "
                         "latency of a send there."));
    specs.push_back(Rate("net-peer-rate", "The rate of a send to one peer on another node."));
    specs.push_back(Cost("net-skew",
                         ParameterKind::Number,
                         "How far ranks on several nodes drift apart, as skew has it."));
}

const std::map<std::string, std::string>&
TransportPresets()
{
    static const std::map<std::string, std::string> presets{{"default", "default"},
                                                            {"efa", "efa"},
                                                            {"efa-v1", "efa-v1"},
                                                            {"ib", "ib"},
                                                            {"ib-edr", "ib"},
                                                            {"ib-hdr", "ib"},
                                                            {"ib-ndr", "ib"},
                                                            {"roce", "roce"},
                                                            {"slingshot", "slingshot"},
                                                            {"tcpxo", "tcpxo"}};
    return presets;
}

bool
HasPreset(const std::string& name)
{
    for (const PresetRow& row : PresetRows())
    {
        if (name == row.preset)
        {
            return true;
        }
    }
    return false;
}

std::string
NetworkPreset(const PresetNames& names)
{
    const std::string preset = "net-" + TransportPresets().at(names.transport);
    // Some networks have a file of their own for a kind of path between GPU and NIC.
    const std::string ofPath = preset + "-" + names.nicPath;
    return HasPreset(ofPath) ? ofPath : preset;
}

/// Generations that differ from another one only in their memory or their processors.
std::string
GpuPreset(const std::string& gpu)
{
    if (gpu == "h200" || gpu == "gh200")
    {
        return "gpu-h100";
    }
    return gpu == "gb200" ? "gpu-b200" : "gpu-" + gpu;
}

/// The key of a preset's value in its file.
/// Keys of networks lose their prefix: a file of a network has no other keys.
std::pair<std::string, std::string>
PlaceInPresets(const std::string& key, const PresetNames& names)
{
    constexpr const char* network = "net-";
    if (key.starts_with(network))
    {
        return {NetworkPreset(names), key.substr(std::strlen(network))};
    }
    // The files call the two floors "launch" and "blocking".
    const bool isFloor = key == "launch-floor" || key == "blocking-floor";
    return {GpuPreset(names.gpu), isFloor ? key.substr(0, key.find('-')) : key};
}

std::string
FindInPresets(const std::string& key, const PresetNames& names)
{
    const auto [preset, name] = PlaceInPresets(key, names);
    for (const PresetRow& row : PresetRows())
    {
        if (preset == row.preset && name == row.key)
        {
            // a number's unit, which only people read: "0.94 us^0.5"
            const std::string value = row.value;
            return value.substr(0, value.find(" us^"));
        }
    }
    // The build makes the presets from configs/libraries, so a missing value is a fault of Nadi,
    // and not of its user.
    NADI_CHECK(false);
    return {};
}

/// In us, GB/s, or bare.
double
ToNumber(const ParameterValue& value)
{
    if (const auto* const time = std::get_if<SimTime>(&value))
    {
        return static_cast<double>(time->Ps()) / 1e6;
    }
    if (const auto* const rate = std::get_if<Bandwidth>(&value))
    {
        return static_cast<double>(rate->BitsPerSecond()) / 8e9;
    }
    return std::get<double>(value);
}

} // namespace

std::vector<std::string>
TransportNames()
{
    std::vector<std::string> names;
    for (const auto& [name, preset] : TransportPresets())
    {
        names.push_back(name);
    }
    return names;
}

std::vector<ParameterSpec>
CostSpecs()
{
    std::vector<ParameterSpec> specs;
    AddGpuSpecs(specs);
    AddNetworkSpecs(specs);
    return specs;
}

CostParameters::CostParameters(const PresetNames& names, const Parameters& given)
{
    for (const ParameterSpec& spec : CostSpecs())
    {
        // A parameter that holds a word holds "auto".
        const bool isGiven = !given.Has<std::string>(spec.name);
        m_values[spec.name] = isGiven
                                  ? ToNumber(given.Value(spec.name))
                                  : ToNumber(ParseParameter(spec, FindInPresets(spec.name, names)));
    }
}

} // namespace nadi::nccl
