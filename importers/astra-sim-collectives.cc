// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-collectives.h"

#include "common/text.h"
#include "importers/import-values.h"
#include "system/collective-plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sstream>
#include <vector>

namespace nadi
{

namespace
{

/// An algorithm by its name there.
struct Known
{
    std::string name;
    bool isFlat = false; ///< over all ranks at once, whatever the dimensions
};

const std::map<std::string, Known> ALGORITHMS{{"ring", {"ring"}},
                                              {"hierarchicalRing", {"ring"}},
                                              {"direct", {"direct"}},
                                              {"halvingDoubling", {"halving-doubling"}},
                                              {"doubleBinaryTree", {"double-binary-tree"}},
                                              {"oneRing", {"ring", true}},
                                              {"oneDirect", {"direct", true}},
                                              {"oneHalvingDoubling", {"halving-doubling", true}}};

/// The names of a list, or of "ring_direct".
std::vector<std::string>
ReadNames(const ConfigNode& node)
{
    std::vector<std::string> names;
    if (node.kind == ConfigNode::Kind::List)
    {
        for (const ConfigNode& child : node.children)
        {
            names.push_back(child.Scalar("the name of an algorithm"));
        }
        return names;
    }
    std::istringstream text(node.Scalar("the names of algorithms"));
    for (std::string name; std::getline(text, name, '_');)
    {
        names.push_back(name);
    }
    return names;
}

/// Throws ConfigError, with all known names, where there is no such algorithm.
Known
FindAlgorithm(const ConfigNode& node, const std::string& name)
{
    const std::string word =
        FindWindow(name) ? name.substr(0, name.find_first_of("0123456789")) : name;
    const auto found = ALGORITHMS.find(word);
    if (found == ALGORITHMS.end())
    {
        std::vector<std::string> names;
        for (const auto& [known, algorithm] : ALGORITHMS)
        {
            names.push_back(known);
        }
        node.Fail("\"" + name + "\" is not valid; write " + JoinWithOr(names));
    }
    return found->second;
}

bool
CanRun(const std::string& name, CollectiveType type)
{
    const std::vector<std::string> able = AlgorithmsFor(type);
    return std::find(able.begin(), able.end(), name) != able.end();
}

/// Nadi's name for the algorithm along a dimension. A ring becomes the two-way one where the source
/// drives both directions of the links at once.
std::string
NameFor(const Known& known, const ImportedNetwork::Dimension& dimension)
{
    return known.name == "ring" && dimension.isTwoWayRing ? "bidirectional-ring" : known.name;
}

/// The algorithm as the configuration has it.
///
/// Trees pipeline slices here, and pass on a whole chunk there: a slice that no chunk exceeds does
/// the same.
Json
ValueFor(const std::string& name)
{
    if (name != "double-binary-tree")
    {
        return name;
    }
    Json value = Json::object();
    value["name"] = name;
    value["slice"] = "1 TiB";
    return value;
}

/// One algorithm that Nadi cannot run for the collective drops the whole list. Then the default
/// holds in all dimensions, and the draft says so.
bool
IsPossible(const ConfigNode& node,
           const std::vector<std::string>& names,
           CollectiveType type,
           ImportDraft& draft)
{
    for (const std::string& name : names)
    {
        if (!CanRun(name, type))
        {
            draft.Drop(node,
                       fmt::format("{} does not exist for {}; the shape's default is taken",
                                   name,
                                   ToText(type)));
            return false;
        }
    }
    return true;
}

/// Other algorithms than direct have no window.
void
AddWindow(AstraSimWindows& windows,
          const ConfigNode& node,
          const Known& known,
          const std::string& name,
          uint64_t members)
{
    if (known.name == "direct")
    {
        windows.Add(node, name, static_cast<uint32_t>(members));
    }
}

} // namespace

const std::map<std::string, CollectiveType>&
AstraSimImplementationKeys()
{
    static const std::map<std::string, CollectiveType> keys{
        {"all-reduce-implementation", CollectiveType::AllReduce},
        {"all-gather-implementation", CollectiveType::AllGather},
        {"reduce-scatter-implementation", CollectiveType::ReduceScatter},
        {"all-to-all-implementation", CollectiveType::AllToAll}};
    return keys;
}

void
ImportAstraSimAlgorithms(const ConfigNode& node,
                         const ImportedNetwork& network,
                         AstraSimWindows& windows,
                         ImportDraft& draft)
{
    const CollectiveType type = AstraSimImplementationKeys().at(node.key);
    const std::string path = "system.collectives." + std::string(ToText(type));
    const std::vector<std::string> names = ReadNames(node);
    std::vector<Known> known;
    for (const std::string& name : names)
    {
        known.push_back(FindAlgorithm(node, name));
    }
    if (!known.empty() && known.front().isFlat)
    {
        // There, what comes behind has no effect.
        if (IsPossible(node, {known.front().name}, type, draft))
        {
            draft.Map(node, path, Json{{"flat", known.front().name}});
            AddWindow(windows, node, known.front(), names.front(), network.NpuCount());
        }
        return;
    }
    if (std::ranges::any_of(known, &Known::isFlat))
    {
        draft.Drop(node, "an algorithm over all ranks behind others; the shape's default is taken");
        return;
    }
    if (names.size() < network.dimensions.size())
    {
        node.Fail(fmt::format("has {} algorithms for {} dimensions; write one for each",
                              names.size(),
                              network.dimensions.size()));
    }
    // A list may be longer than the network has dimensions: what is behind the last has no effect.
    std::vector<std::string> ours;
    for (size_t d = 0; d < network.dimensions.size(); ++d)
    {
        ours.push_back(NameFor(known[d], network.dimensions[d]));
    }
    if (IsPossible(node, ours, type, draft))
    {
        Json values = Json::array();
        std::ranges::transform(ours, std::back_inserter(values), ValueFor);
        draft.Map(node, path, values);
        for (size_t d = 0; d < ours.size(); ++d)
        {
            AddWindow(windows, node, known[d], names[d], network.dimensions[d].size);
        }
    }
}

void
ImportAstraSimFiles(const ConfigNode& node, CollectiveType type, ImportDraft& draft)
{
    if (node.kind != ConfigNode::Kind::List || node.children.size() != 1)
    {
        node.Fail("holds one prefix of traces for all dimensions, such as [\"ring/custom\"]");
    }
    const std::string& prefix = node.children.front().Scalar("the prefix of traces");
    draft.Map(node,
              "system.collectives." + std::string(ToText(type)),
              Json{{"from", prefix + ".{rank}.et"}});
}

} // namespace nadi
