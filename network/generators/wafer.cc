// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/generator-parts.h"
#include "network/stack-topology.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

constexpr const char* MESH = "mesh";
constexpr const char* TREE = "tree";

/// A count that one fabric must be given and the other does not have, so that its default is 0.
/// Throws ConfigError where it is 0.
uint32_t
GetNeeded(const Parameters& parameters, const std::string& name, const char* fabric)
{
    const uint32_t count = GetCount(parameters, name, 0);
    if (count == 0)
    {
        throw ConfigError(name,
                          fmt::format("fabric: {} needs it; write a whole number from 1", fabric));
    }
    return count;
}

/// Rank = y * width + x: a stack of two lines, x first. The NPUs at the edge carry the I/O
/// channels, one for each side that they turn to the edge: 2 * (width + height) in all.
class WaferMesh : public TopologyGenerator
{
  public:
    explicit WaferMesh(const Parameters& parameters)
        : m_width(GetNeeded(parameters, "width", MESH))
        , m_height(GetNeeded(parameters, "height", MESH))
        , m_link(GetLink(parameters, "link"))
    {
    }

    TopologySize Size() const override
    {
        return {CappedProduct({m_width, m_height}),
                0,
                CappedProduct({2, m_height, m_width - 1}) +
                    CappedProduct({2, m_width, m_height - 1})};
    }

    std::vector<Dimension> Dimensions() const override
    {
        return {MakeLine(m_width), MakeLine(m_height)};
    }

    void AddTo(Topology& topology) const override
    {
        topology = MakeStackTopology(Dimensions());
    }

  private:
    Dimension MakeLine(uint32_t size) const
    {
        return {MESH, size, m_link.bandwidth, m_link.latency};
    }

    uint32_t m_width;
    uint32_t m_height;
    LinkRate m_link;
};

/// NPU r hangs on first-level switch r / npus-per-switch, which carries its share of the I/O
/// channels. Every first-level switch has one link to each second-level switch. It is one link of
/// the whole rate, not several parallel ones: a flow may then have all of it while the others are
/// silent, and flows share it evenly otherwise. Over parallel links the hash of ECMP would put
/// several flows on one link and leave others idle.
///
/// Switches: l1.switch0, ..., l2.switch0, ... Links: those of the NPUs in rank order, then the
/// uplinks, first-level switch by first-level switch.
class WaferTree : public TopologyGenerator
{
  public:
    explicit WaferTree(const Parameters& parameters)
        : m_npusPerSwitch(GetNeeded(parameters, "npus-per-switch", TREE))
        , m_l1Switches(GetNeeded(parameters, "l1-switches", TREE))
        , m_l2Switches(GetCount(parameters, "l2-switches", 1))
        , m_link(GetLink(parameters, "link"))
        , m_uplink(GetLink(parameters, "uplink"))
    {
    }

    TopologySize Size() const override
    {
        const uint64_t npus = CappedProduct({m_l1Switches, m_npusPerSwitch});
        return {npus,
                uint64_t{m_l1Switches} + m_l2Switches,
                2 * npus + CappedProduct({2, m_l1Switches, m_l2Switches})};
    }

    std::vector<uint32_t> StackSizes() const override
    {
        return {m_npusPerSwitch, m_l1Switches};
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        if (m_l1Switches > 1)
        {
            return {};
        }
        const std::string why = "l1-switches: 1 puts all NPUs on one switch, so no message goes "
                                "further up; write more l1-switches";
        return {{.name = "l2-switches", .why = why, .isUnreached = true},
                {.name = "uplink", .why = why, .isUnreached = true}};
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_l1Switches * m_npusPerSwitch);
        const VertexRange lower = AddSwitches(topology, "l1.switch", m_l1Switches);
        const VertexRange upper = AddSwitches(topology, "l2.switch", m_l2Switches);
        for (uint32_t rank = 0; rank < npus.count; ++rank)
        {
            Join(topology, npus.At(rank), lower.At(rank / m_npusPerSwitch), m_link);
        }
        JoinAll(topology, lower, upper, m_uplink);
    }

  private:
    uint32_t m_npusPerSwitch;
    uint32_t m_l1Switches;
    uint32_t m_l2Switches;
    LinkRate m_link;
    LinkRate m_uplink;
};

/// Throws ConfigError at a parameter that only another fabric has, where it is not `unused`.
void
CheckForeign(const Parameters& parameters,
             const std::vector<std::string>& names,
             int64_t unused,
             const char* fabric)
{
    for (const std::string& name : names)
    {
        if (parameters.Get<int64_t>(name) != unused)
        {
            throw ConfigError(
                name, fmt::format("is for fabric: {}; remove it, or write that fabric", fabric));
        }
    }
}

void
CheckMeshParameters(const Parameters& parameters)
{
    CheckForeign(parameters, {"npus-per-switch", "l1-switches"}, 0, TREE);
    CheckForeign(parameters, {"l2-switches"}, 1, TREE);
    // An uplink that was not given equals the link. So only one that differs was surely written,
    // for a tree.
    if (GetLink(parameters, "uplink") != GetLink(parameters, "link"))
    {
        throw ConfigError("uplink", "is for fabric: tree; remove it, or write that fabric");
    }
}

} // namespace

/// The fabric of a wafer (Rashidi et al., "FRED: A wafer-scale fabric for 3D parallel DNN
/// training", ISCA 2025): a mesh of NPUs, or a tree of two levels of switches.
///
/// The mesh is a stack of two dimensions, so messages go along x first and then along y. Ranks,
/// names and the places of I/O channels are those of WaferMesh and WaferTree.
class WaferGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "The fabric of a wafer: a mesh of NPUs, or a tree with two levels of switches (FRED).";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {{{.name = "fabric",
               .kind = ParameterKind::Word,
               .defaultText = "",
               .help = "How the NPUs of the wafer are joined: by a mesh, in which each has links "
                       "to its neighbours along x and y and messages go along x first; or by a "
                       "tree of two levels of switches.",
               .words = {MESH, TREE}}},
             OptionalCount("width", "0", "The number of NPUs along x in a mesh, which needs it."),
             OptionalCount("height", "0", "The number of NPUs along y in a mesh, which needs it."),
             OptionalCount("npus-per-switch",
                           "0",
                           "The number of NPUs on each first-level switch of a tree, which needs "
                           "it."),
             OptionalCount("l1-switches",
                           "0",
                           "The number of first-level switches of a tree, which needs it."),
             OptionalCount("l2-switches",
                           "1",
                           "The number of second-level switches of a tree. Every first-level "
                           "switch has one link to each of them."),
             RequiredLink("link",
                          "between two neighbours of a mesh, or between an NPU and its first-level "
                          "switch"),
             LinkLike("uplink", "link", "between a first-level and a second-level switch")});
    }

    explicit WaferGenerator(const Parameters& parameters)
    {
        if (parameters.Get<std::string>("fabric") == MESH)
        {
            CheckMeshParameters(parameters);
            m_fabric = std::make_unique<WaferMesh>(parameters);
            return;
        }
        CheckForeign(parameters, {"width", "height"}, 0, MESH);
        m_fabric = std::make_unique<WaferTree>(parameters);
    }

    TopologySize Size() const override
    {
        return m_fabric->Size();
    }

    std::vector<Dimension> Dimensions() const override
    {
        return m_fabric->Dimensions();
    }

    std::vector<uint32_t> StackSizes() const override
    {
        return m_fabric->StackSizes();
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        return m_fabric->IdleParameters();
    }

    void AddTo(Topology& topology) const override
    {
        m_fabric->AddTo(topology);
    }

  private:
    std::unique_ptr<TopologyGenerator> m_fabric;
};

NADI_REGISTER(TopologyGenerator, WaferGenerator, "wafer");

} // namespace nadi
