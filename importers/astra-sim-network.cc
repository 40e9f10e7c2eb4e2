// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-network.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "importers/import-values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

using Dimensions = std::vector<ImportedNetwork::Dimension>;

const std::map<std::string, std::string> SHAPES{{"Ring", "ring"},
                                                {"Switch", "switch"},
                                                {"FullyConnected", "fully-connected"},
                                                {"AllToAll", "fully-connected"},
                                                {"Line", "mesh"}};

/// The names of the keys of a generation.
struct Keys
{
    std::string shapes;
    std::string sizes;
    std::string bandwidths;
    std::string latencies;
};

const Keys VERSION_1{"topologies-per-dim", "units-count", "link-bandwidth", "link-latency"};
const Keys VERSION_2{"topology", "npus_count", "bandwidth", "latency"};

/// Known keys of the first generation without counterpart, and why.
const std::map<std::string, std::string> NETWORK_KEYS_WITHOUT_COUNTERPART{
    {"topology-name", "the dimensions say it"},
    {"dimensions-count", "the lists say it"},
    {"dimension-type", "only for a model of costs"},
    {"use-fast-version", "a choice between two models of that simulator"},
    {"link-failure", "write network.faults"},
    {"hbm-latency", "see system.memory"},
    {"hbm-bandwidth", "see system.memory"},
    {"hbm-scale", "see system.memory"}};

const ConfigNode&
Require(const ConfigNode& root, const std::string& key)
{
    const ConfigNode* node = root.Find(key);
    if (node == nullptr)
    {
        root.Fail("key \"" + key +
                  "\" is missing; a network of ASTRA-sim's analytical backends "
                  "has it");
    }
    return *node;
}

/// One for each dimension.
std::vector<const ConfigNode*>
RequireItems(const ConfigNode& root, const std::string& key, size_t count)
{
    const ConfigNode& node = Require(root, key);
    std::vector<const ConfigNode*> items = ReadItems(node);
    if (items.size() != count)
    {
        node.Fail(fmt::format(
            "has {} values for {} dimensions; write one for each", items.size(), count));
    }
    return items;
}

std::string
ReadShape(const ConfigNode& node)
{
    const auto shape = SHAPES.find(node.Scalar("the name of a topology"));
    if (shape == SHAPES.end())
    {
        std::vector<std::string> names;
        for (const auto& [name, mapped] : SHAPES)
        {
            names.push_back(name);
        }
        node.Fail("\"" + node.text + "\" has no counterpart; write " + JoinWithOr(names));
    }
    return shape->second;
}

/// How many links an NPU needs in the source: one each way around a ring, whatever its size, one to
/// each other NPU where all are joined, one to the switch or along a line.
uint32_t
LeastLinks(const ImportedNetwork::Dimension& dimension)
{
    if (dimension.shape == "ring")
    {
        return 2;
    }
    return dimension.shape == "fully-connected" ? dimension.size - 1 : 1;
}

/// How many links an NPU of a dimension has here: two NPUs on a ring are joined by one.
uint32_t
LinksHere(const ImportedNetwork::Dimension& dimension)
{
    const bool isPair = dimension.shape == "ring" && dimension.size == 2;
    return isPair ? 1 : LeastLinks(dimension);
}

/// How many links of the source share a link here. The source uses only as many links as go evenly
/// around: on a ring an even number, and where all are joined a multiple of the other NPUs
/// (HierarchicalTopology's constructor). Throws ConfigError where that is none; the source ends.
uint32_t
LinksOfOne(const ConfigNode& count, const ImportedNetwork::Dimension& dimension)
{
    const uint32_t links = ReadWholeNumber(count);
    const uint32_t least = LeastLinks(dimension);
    if (links == 0)
    {
        count.Fail("must not be 0");
    }
    // A fully connected dimension of one NPU has no links.
    if (least == 0)
    {
        return 1;
    }
    if (links < least)
    {
        count.Fail(
            fmt::format("{} of each NPU, too few for {} NPUs in the shape {}, which needs {}; "
                        "ASTRA-sim refuses it too; write {} or more",
                        CountText(links, "link"),
                        dimension.size,
                        dimension.shape,
                        least,
                        least));
    }
    return (links - links % least) / LinksHere(dimension);
}

/// `links-count`: more links than the shape has here multiply the bandwidth of each. A ring of 4 or
/// 5 links of 25 GB/s for each NPU becomes one of 2 links of 50 GB/s, or of one of 100 GB/s where
/// two NPUs are the ring.
void
ScaleByLinks(const ConfigNode& root,
             Dimensions& dimensions,
             std::vector<uint32_t>& factors,
             ImportDraft& draft)
{
    const ConfigNode* node = root.Find("links-count");
    if (node == nullptr)
    {
        return;
    }
    const auto counts = RequireItems(root, "links-count", dimensions.size());
    std::string unused;
    for (size_t d = 0; d < counts.size(); ++d)
    {
        factors[d] = LinksOfOne(*counts[d], dimensions[d]);
        const uint32_t used = factors[d] * LinksHere(dimensions[d]);
        if (used > 0 && used < ReadWholeNumber(*counts[d]))
        {
            unused += fmt::format("; of dimension {}, {} of {} links are used, as in ASTRA-sim",
                                  d,
                                  used,
                                  ReadWholeNumber(*counts[d]));
        }
        // The source drives both directions of a ring at once. So `ring` becomes
        // `bidirectional-ring` there (astra-sim-collectives.cc).
        dimensions[d].isTwoWayRing = dimensions[d].shape == "ring";
    }
    draft.Note(*node,
               "in the bandwidths: a link of a shape's own number carries their share" + unused);
}

bool
IsZero(const ConfigNode& node)
{
    const std::vector<const ConfigNode*> items = ReadItems(node);
    return std::all_of(
        items.begin(), items.end(), [](const ConfigNode* item) { return ReadNumber(*item) == 0; });
}

/// Keys that set nothing of their own.
void
NoteOthers(const ConfigNode& root, const Keys& keys, ImportDraft& draft)
{
    const std::vector<std::string> used{
        keys.shapes, keys.sizes, keys.bandwidths, keys.latencies, "links-count"};
    for (const ConfigNode& child : root.children)
    {
        if (std::find(used.begin(), used.end(), child.key) != used.end())
        {
            continue;
        }
        if (child.key == "nic-latency" || child.key == "router-latency")
        {
            draft.Note(child,
                       IsZero(child) ? "nothing: it is 0"
                                     : "no counterpart: add it to the latencies of the links");
            continue;
        }
        const auto reason = NETWORK_KEYS_WITHOUT_COUNTERPART.find(child.key);
        if (reason != NETWORK_KEYS_WITHOUT_COUNTERPART.end())
        {
            draft.Drop(child, reason->second);
            continue;
        }
        draft.DropUnknown(child, used);
    }
}

} // namespace

uint64_t
ImportedNetwork::NpuCount() const
{
    uint64_t count = 1;
    for (const Dimension& dimension : dimensions)
    {
        count *= dimension.size;
    }
    return count;
}

// Four lists describe the dimensions, the innermost one first: shapes, sizes, bandwidths and
// latencies. The list of shapes says how many dimensions there are, and the others must be as long.
// A value that is no list stands for a list of one.
ImportedNetwork
ImportAstraSimNetwork(const ConfigNode& root, ImportDraft& draft)
{
    // No list has the same name in both generations, so the list of shapes tells the generation.
    // A file without such a list is refused as one of 2.x that lacks it.
    const Keys& keys = root.Find(VERSION_1.shapes) != nullptr ? VERSION_1 : VERSION_2;
    ImportedNetwork network;
    const ConfigNode& shapes = Require(root, keys.shapes);
    const auto shapeItems = ReadItems(shapes);
    const size_t count = shapeItems.size();
    const auto sizes = RequireItems(root, keys.sizes, count);
    for (size_t d = 0; d < count; ++d)
    {
        const uint32_t size = ReadWholeNumber(*sizes[d]);
        if (size == 0)
        {
            sizes[d]->Fail("must not be 0");
        }
        network.dimensions.push_back({ReadShape(*shapeItems[d]), size});
    }
    std::vector<uint32_t> factors(count, 1);
    const auto bandwidths = RequireItems(root, keys.bandwidths, count);
    const auto latencies = RequireItems(root, keys.latencies, count);
    const std::string list = "network.dimensions[].";
    draft.Note(shapes, list + "shape");
    draft.Note(Require(root, keys.sizes), list + "size");
    ScaleByLinks(root, network.dimensions, factors, draft);
    Json dimensions = Json::array();
    std::string rates;
    for (size_t d = 0; d < count; ++d)
    {
        // The factor is applied before the rate is rounded, so that one rounding is all.
        const std::string rate = ToText(ReadRate(*bandwidths[d], GIBI * factors[d]));
        rates += (rates.empty() ? "" : ", ") + rate;
        Json dimension = Json::object();
        dimension["shape"] = network.dimensions[d].shape;
        dimension["size"] = network.dimensions[d].size;
        dimension["bandwidth"] = rate;
        dimension["latency"] = ToText(ReadNanoseconds(*latencies[d]));
        dimensions.push_back(dimension);
    }
    draft.Note(Require(root, keys.bandwidths),
               list + "bandwidth: " + rates + " (GB of 2^30 bytes)");
    draft.Note(Require(root, keys.latencies), list + "latency, in ns");
    NoteOthers(root, keys, draft);
    draft.Set("network.dimensions", dimensions);
    return network;
}

} // namespace nadi
