// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "common/registry.h"
#include "common/text.h"
#include "configuration/key-reference.h"
#include "network/backend-kind.h"
#include "network/packet/congestion-controls.h"
#include "network/packet/load-balancers.h"
#include "network/shape.h"
#include "network/topology-generator.h"
#include "simulation/results/result-tables.h"
#include "system/collective-plan.h"
#include "system/library/communication-library.h"
#include "system/library/nccl/presets.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "workload/model-preset.h"
#include "workload/workload-model.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

namespace nadi
{

namespace
{

std::string
DescribeComponent(const ComponentInfo& component)
{
    std::string text = fmt::format("{:<22} {}\n", component.name, component.help);
    for (const ParameterSpec& spec : component.parameters)
    {
        const bool isRequired = spec.defaultText.empty();
        text += fmt::format("{:<22} {}: {} ({})\n",
                            "",
                            spec.name,
                            spec.help,
                            isRequired ? "required" : "default " + spec.defaultText);
    }
    return text;
}

/// Of components, or of what is known of them.
template <class Components>
std::string
DescribeComponents(const Components& components)
{
    std::string text;
    for (const ComponentInfo& component : components)
    {
        text += DescribeComponent(component);
    }
    return text;
}

template <class Base>
std::string
DescribeRegistry()
{
    return DescribeComponents(Registry<Base>::Instance().Describe());
}

/// All algorithms, then which of them each type of collective can use: an algorithm need not serve
/// every type.
std::string
DescribeAlgorithms()
{
    std::string text = DescribeRegistry<CollectiveAlgorithm>() + "\nfor system.collectives:\n";
    for (const CollectiveType type : AllCollectiveTypes())
    {
        std::string names;
        for (const std::string& name : AlgorithmsFor(type))
        {
            names += (names.empty() ? "" : ", ") + name;
        }
        text += fmt::format("  {:<20} {}\n", ToText(type), names);
    }
    return text;
}

std::string
DescribePolicies()
{
    return "system.inter-dimension: in what order a chunk crosses the dimensions\n" +
           DescribeRegistry<InterDimensionPolicy>() +
           "\nsystem.intra-dimension: which waiting chunk a dimension takes next\n" +
           DescribeRegistry<IntraDimensionPolicy>();
}

std::string
DescribeControls()
{
    return "network.packet.congestion-control: how senders adapt their rate\n" +
           DescribeComponents(DescribeCongestionControls());
}

std::string
DescribeBalancers()
{
    return "network.packet.load-balancing: which of several equally good ways a frame takes\n" +
           DescribeComponents(DescribeLoadBalancers());
}

std::string
DescribeColumns()
{
    std::string text;
    for (const TableDescription& table : DescribeResultTables())
    {
        text += (text.empty() ? "" : "\n") + table.file + "\n";
        for (const ColumnDescription& column : table.columns)
        {
            text += fmt::format("  {:<24} {:<6} {}\n", column.name, column.unit, column.meaning);
        }
    }
    return text;
}

std::string
DescribeConfigurationKeys()
{
    std::string text;
    for (const KeyGroup& group : DescribeKeys())
    {
        text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", group.title, group.meaning);
        for (const KeyDescription& key : group.keys)
        {
            text += fmt::format("  {}: {}{}\n      {}\n",
                                key.path,
                                key.values,
                                key.isRequired            ? " (required)"
                                : key.defaultText.empty() ? ""
                                                          : " (default " + key.defaultText + ")",
                                key.meaning);
        }
    }
    return text;
}

/// The files of configs/libraries, with what each value means and where it is from.
std::string
DescribeLibraryPresets()
{
    std::string text = "\nsystem.library: {name, preset, transport}: measured costs of "
                       "communication libraries; the keys of a network stand with net- before "
                       "them\n";
    std::string last;
    for (const nccl::PresetRow& row : nccl::PresetRows())
    {
        // Rows of one preset follow each other, and only the first shows its name.
        const std::string name = row.preset == last ? "" : row.preset;
        text += fmt::format("{:<22} {}: {}  ({})\n", name, row.key, row.value, row.explanation);
        last = row.preset;
    }
    return text;
}

std::string
DescribePresets()
{
    std::string text = "workload.generate: {model, preset}: figures of published models\n";
    for (const ModelPreset& preset : AllModelPresets())
    {
        text += fmt::format("{:<22} {}: {}\n", preset.name, preset.model, preset.help);
        for (const auto& [name, value] : preset.parameters)
        {
            text += fmt::format("{:<22} {}: {}\n", "", name, value);
        }
    }
    return text + DescribeLibraryPresets();
}

struct ListedThings
{
    std::string help;
    std::string (*describe)();
};

/// Components are read from their registries, so a new one is listed without a change here.
const std::map<std::string, ListedThings> LISTS{
    {"algorithms", {"of collectives, for system.collectives", &DescribeAlgorithms}},
    {"backends", {"that carry messages, for network.backend", &DescribeRegistry<BackendKind>}},
    {"columns", {"of the tables that a run leaves, such as links.csv", &DescribeColumns}},
    {"congestion-controls", {"for network.packet.congestion-control", &DescribeControls}},
    {"keys", {"of a configuration, with their values and defaults", &DescribeConfigurationKeys}},
    {"generators",
     {"of topologies, for network.topology.generator", &DescribeRegistry<TopologyGenerator>}},
    {"libraries",
     {"of communication, for system.library", &DescribeRegistry<CommunicationLibrary>}},
    {"load-balancers", {"for network.packet.load-balancing", &DescribeBalancers}},
    {"models", {"of workloads, for workload.generate.model", &DescribeRegistry<WorkloadModel>}},
    {"policies",
     {"of scheduling, for system.inter-dimension and system.intra-dimension", &DescribePolicies}},
    {"presets",
     {"figures of published models, for workload.generate; costs of libraries, for system.library",
      &DescribePresets}},
    {"shapes", {"of dimensions, for network.dimensions", &DescribeRegistry<Shape>}}};

std::string
DescribeLists()
{
    std::string text = "nadi list WHAT, where WHAT is one of\n";
    for (const auto& [name, things] : LISTS)
    {
        text += fmt::format("  {:<20} {}\n", name, things.help);
    }
    return text;
}

std::vector<std::string>
ListNames()
{
    std::vector<std::string> names;
    for (const auto& [name, things] : LISTS)
    {
        names.push_back(name);
    }
    return names;
}

std::string
CheckListName(const std::string& name)
{
    return LISTS.contains(name) ? "" : name + " is no list" + SuggestFrom(name, ListNames());
}

} // namespace

Command
MakeListCommand()
{
    const auto what = std::make_shared<std::string>();
    return {.name = "list",
            .help = "What can be named in a configuration, and what the results hold",
            .examples = {"nadi list algorithms                        what system.collectives can "
                         "name",
                         "nadi list                                   what else can be listed"},
            .options = {{.name = "WHAT",
                         .target = what.get(),
                         .help = JoinWithOr(ListNames()) + "; without it, what these are",
                         .check = &CheckListName}},
            .run = [what](const ProgramStart&)
            {
                fmt::print("{}", what->empty() ? DescribeLists() : LISTS.at(*what).describe());
                return EXIT_DONE;
            }};
}

} // namespace nadi
