// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/nccl-settings.h"

#include <optional>
#include <utility>

namespace nadi::nccl
{

namespace
{

constexpr const char* AUTO = "auto";

/// NCCL, src/include/device.h: MAXCHANNELS.
constexpr double MOST_CHANNELS_OF_LIBRARY = 64;

ParameterSpec
WordOf(const std::string& name,
       const std::string& defaultText,
       const std::string& help,
       std::vector<std::string> words)
{
    return {name, ParameterKind::Word, defaultText, help, std::move(words)};
}

/// None for "auto": the estimate then decides. The words of all these keys were checked against
/// NcclSpecs, so the last case of each function needs no test.
std::optional<KernelAlgorithm>
ReadAlgorithm(const std::string& word)
{
    for (const KernelAlgorithm algorithm : {KernelAlgorithm::Ring,
                                            KernelAlgorithm::Tree,
                                            KernelAlgorithm::Nvls,
                                            KernelAlgorithm::NvlsTree})
    {
        if (word == ToText(algorithm))
        {
            return algorithm;
        }
    }
    return std::nullopt;
}

Launch
ReadLaunch(const std::string& word)
{
    if (word == "unknown")
    {
        return Launch::Unknown;
    }
    return word == "process-per-node" ? Launch::ProcessPerNode : Launch::ProcessPerGpu;
}

NicPath
ReadNicPath(const std::string& word)
{
    if (word == "c2c")
    {
        return NicPath::C2c;
    }
    return word == "host-bridge" ? NicPath::HostBridge : NicPath::PcieSwitch;
}

} // namespace

std::vector<std::string>
PresetsOfGpus()
{
    return {"default", "v100", "a100", "h100", "h200", "gh200", "b200", "gb200", "mi300x"};
}

std::vector<ParameterSpec>
NcclSpecs(const std::string& defaultPreset, std::vector<std::string> presets)
{
    std::vector<ParameterSpec> specs{
        WordOf("preset",
               defaultPreset,
               "The generation of the GPUs, whose measured costs the library has.",
               std::move(presets)),
        WordOf("transport",
               "default",
               "The kind of network between nodes, whose measured costs the library has.",
               TransportNames()),
        WordOf("release",
               "2.21",
               "The release of the library, as \"2.21\" or \"2.21.5\". It decides which algorithm "
               "and protocol run.",
               {}),
        WordOf("algorithm",
               AUTO,
               "The algorithm of all-reduces. With auto the library's own estimate decides. Where "
               "the algorithm cannot run, the ring does, and a warning says why.",
               {AUTO, "ring", "tree", "nvls", "nvls-tree"}),
        WordOf("protocol",
               AUTO,
               "The protocol of all-reduces, all-gathers, reduce-scatters, broadcasts and reduces. "
               "With auto the library's own estimate decides. All-to-alls always run with Simple, "
               "and barriers with LL, or with Simple where the network forbids LL.",
               {AUTO, "LL", "LL128", "Simple"}),
        WordOf("launch",
               "process-per-gpu",
               "How many GPUs a process drives. It decides the least time of a call.",
               {"process-per-gpu", "process-per-node", "unknown"}),
        WordOf("calls",
               "single",
               "What the time of a broadcast or reduce means: of a single call, or the mean of "
               "many calls in a row, whose hops overlap.",
               {"single", "back-to-back"}),
        WordOf(
            "nic-path",
            "pcie-switch",
            "What lies between a GPU and its NIC. It decides where LL128 is allowed. The rate of "
            "that way is the network's to say: through a host bridge, a NIC gave 18.2 GB/s.",
            {"pcie-switch", "host-bridge", "c2c"}),
        WordOf("cpu",
               "other",
               "The vendor of the processors. It decides how fast the library thinks that LL is "
               "between nodes.",
               {"amd", "other"}),
        WordOf("blocking",
               "off",
               "Whether the host waits for each call before it makes the next.",
               {"on", "off"})};
    specs.push_back(WordOf("pxn",
                           AUTO,
                           "Whether an all-to-all passes what is for another rail to a GPU of that "
                           "rail in its own node. With auto it does where the network has rails, "
                           "from release 2.12 on. In any case it takes several nodes with equally "
                           "many of its ranks, and two at least in each.",
                           {AUTO, "on", "off"}));
    specs.push_back({"least-channels",
                     ParameterKind::Count,
                     "0",
                     "The least number of channels, as NCCL_MIN_CTAS sets it. With 0 the library "
                     "decides.",
                     {},
                     {.least = 0, .most = MOST_CHANNELS_OF_LIBRARY}});
    specs.push_back({"messages",
                     ParameterKind::Count,
                     "200000",
                     "The most messages that one collective is simulated with. Larger ones get "
                     "messages that stand for several steps.",
                     {},
                     {.least = 1}});
    for (ParameterSpec& cost : CostSpecs())
    {
        specs.push_back(std::move(cost));
    }
    return specs;
}

NcclSettings
ReadNcclSettings(const Parameters& values)
{
    const auto word = [&](const char* name) { return values.Get<std::string>(name); };
    const PresetNames presets{
        .gpu = word("preset"), .transport = word("transport"), .nicPath = word("nic-path")};
    return {.presets = presets,
            .release = ParseRelease(word("release")),
            .wish = {.algorithm = ReadAlgorithm(word("algorithm")),
                     .protocol = FindProtocol(word("protocol"))},
            .launch = ReadLaunch(word("launch")),
            .calls = word("calls") == "single" ? Calls::Single : Calls::BackToBack,
            .nicPath = ReadNicPath(word("nic-path")),
            .isAmdProcessor = word("cpu") == "amd",
            .isBlocking = word("blocking") == "on",
            .pxn = word("pxn") == AUTO ? std::nullopt : std::optional(word("pxn") == "on"),
            .leastChannels = static_cast<uint32_t>(values.Get<int64_t>("least-channels")),
            .messages = static_cast<uint32_t>(values.Get<int64_t>("messages")),
            .costs = CostParameters(presets, values)};
}

} // namespace nadi::nccl
