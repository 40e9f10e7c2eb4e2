// SPDX-License-Identifier: GPL-2.0-only
// No value of an ns-3 attribute stops the program: it works, or the user reads what is wrong.
#include "common/error.h"
#include "tests/support/case-count.h"
#include "tests/support/packet-forms.h"
#include "tests/support/scratch-directory.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/fabric-priority-weights.h>
#include <ns3/nstime.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What a user may write for an attribute.
struct Texts
{
    std::vector<std::string> edges;    ///< at the edges of what it can have, and beyond
    std::vector<std::string> nonsense; ///< what is no value of its kind
};

template <class Value>
bool
IsA(const ns3::TypeId::AttributeInformation& attribute)
{
    return dynamic_cast<const Value*>(ns3::PeekPointer(attribute.initialValue)) != nullptr;
}

Texts
TextsFor(const ns3::TypeId::AttributeInformation& attribute)
{
    if (IsA<ns3::UintegerValue>(attribute))
    {
        return {{"0", "1", "7", "4294967295", "9223372036854775807", "18446744073709551615"},
                {"-1", "many"}};
    }
    if (IsA<ns3::DoubleValue>(attribute))
    {
        return {{"0", "1e-300", "0.5", "1", "1e308", "-1", "nan", "inf"}, {"half"}};
    }
    if (IsA<ns3::TimeValue>(attribute))
    {
        return {{"0 s", "1 ps", "1 ns", "9000000 s", "1"}, {"soon"}};
    }
    if (IsA<ns3::DataRateValue>(attribute))
    {
        return {{"0 b/s", "1 b/s", "9000 Pb/s"}, {"fast"}};
    }
    if (IsA<ns3::BooleanValue>(attribute))
    {
        return {{"true", "false"}, {"perhaps"}};
    }
    if (IsA<ns3::FabricPriorityWeightsValue>(attribute))
    {
        return {{"0 0 0 0 0 0 0", "4294967295 1 1 1 1 1 1"}, {"1 2", "1 1 1 1 1 1 1 1", ""}};
    }
    return {{"Ecmp", "Spray", "Flowlet", "Adaptive", "GoBackN", "Selective"}, {"Nothing", ""}};
}

/// Three to one over a switch, with losses or with pauses.
std::string
MakeThreeToOneYaml(const std::string& control, const std::string& mechanisms)
{
    std::string flows;
    for (int source = 1; source < 4; ++source)
    {
        flows += fmt::format("  - {{src: {}, dst: 0, size: 30 KB}}\n", source);
    }
    return "workload:\n  flows:\n" + flows +
           "network:\n"
           "  dimensions: [{shape: switch, size: 4, bandwidth: 100 Gb/s, latency: 500 ns}]\n"
           "  packet:\n    ecn: {min: 5 KB, max: 20 KB}\n    congestion-control: " +
           control + "\n" + mechanisms;
}

/// How a run with this attribute ends, in a word.
std::string
TryValue(const std::string& yaml, const std::string& name, const std::string& value)
{
    const ScratchDirectory scratch("attributes");
    const std::string line = fmt::format("  ns3: {{\"{}\": \"{}\"}}\n", name, value);
    try
    {
        return Simulate(scratch.Write("c.yaml", yaml + line)).status == RunStatus::Done ? "done"
                                                                                        : "stuck";
    }
    catch (const ConfigError& error)
    {
        // Its own line, or the buffer that is too small with it.
        CHECK_THAT(error.what(),
                   Catch::Contains("c.yaml:") || Catch::StartsWith("network.packet.buffer: "));
        return "refused";
    }
    catch (const std::overflow_error&)
    {
        return "too long";
    }
}

/// Those of the type and of what it is derived from in the module: a user sets them alike.
std::vector<ns3::TypeId::AttributeInformation>
AttributesOf(ns3::TypeId type)
{
    std::vector<ns3::TypeId::AttributeInformation> attributes;
    for (; type.GetName().starts_with("ns3::Fabric"); type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            attributes.push_back(type.GetAttribute(i));
        }
    }
    return attributes;
}

/// The topology or another key says these, so that no value is taken.
bool
IsSaidElsewhere(const std::string& attribute)
{
    return attribute == "DataRate" || attribute == "Delay" || attribute == "ReverseDelay" ||
           attribute == "Pfc" || attribute == "Payload" || attribute == "Header" ||
           attribute == "Latency" || attribute == "CutThrough";
}

/// Where frames are lost, these decide when a queue pair gives up, which ends the run.
bool
MayEndRun(const std::string& attribute)
{
    return attribute == "RetransmitTimeout" || attribute == "RetryCount";
}

/// With some value of each attribute the job is done, and what is no value of its kind is refused.
void
TryAll(const std::string& typeName, const std::string& yaml, uint32_t first)
{
    const auto attributes = AttributesOf(ns3::TypeId::LookupByName(typeName));
    REQUIRE(!attributes.empty());
    // Few mean every fourth attribute, under each of the mechanisms another one.
    const uint32_t step = CaseCount{.reduced = 8, .normal = 1, .full = 1}.Pick();
    for (size_t i = first % step; i < attributes.size(); i += step)
    {
        const ns3::TypeId::AttributeInformation& attribute = attributes[i];
        const std::string name = typeName + "::" + attribute.name;
        const Texts texts = TextsFor(attribute);
        bool isDone = false;
        for (const std::string& value : texts.edges)
        {
            CAPTURE(name, value);
            const std::string outcome = TryValue(yaml, name, value);
            CHECK((outcome != "stuck" || MayEndRun(attribute.name)));
            isDone = isDone || outcome == "done";
        }
        CAPTURE(name);
        CHECK(isDone != IsSaidElsewhere(attribute.name));
        for (const std::string& value : texts.nonsense)
        {
            CAPTURE(value);
            CHECK(TryValue(yaml, name, value) == "refused");
        }
    }
}

} // namespace

TEST_CASE("Attributes: no value that a user can write stops the program", "[property][packet]")
{
    const std::string lossless = "    pfc: on\n    buffer: 1 MB\n";
    const std::string lossy = "    buffer: 60 KB\n    loss-recovery: selective\n"
                              "  faults: [{link: all, loss: 1e-2}]\n";
    for (const auto& [mechanisms, first] : {std::pair{lossless, 0U}, {lossy, 2U}})
    {
        for (const char* type : {"ns3::FabricPort",
                                 "ns3::FabricChannel",
                                 "ns3::FabricProtocol",
                                 "ns3::FabricNode",
                                 "ns3::FabricNic",
                                 "ns3::FabricSwitch"})
        {
            TryAll(type, MakeThreeToOneYaml("none", mechanisms), first);
        }
        for (const auto& [control, type] : {std::pair{"dcqcn", "ns3::FabricDcqcn"},
                                            {"dctcp", "ns3::FabricDctcp"},
                                            {"hpcc", "ns3::FabricHpcc"},
                                            {"swift", "ns3::FabricSwift"},
                                            {"timely", "ns3::FabricTimely"},
                                            {"dcqcn", "ns3::FabricCongestionControl"}})
        {
            TryAll(type, MakeThreeToOneYaml(control, mechanisms), first);
        }
        TryAll("ns3::FabricFlowletBalancer",
               MakeThreeToOneYaml("none", "    load-balancing: flowlet\n" + mechanisms),
               first);
    }
}

TEST_CASE("Attributes: a buffer that is too small is told at its place", "[property][packet]")
{
    for (const auto& [name, node] : {std::pair{"ns3::FabricSwitch::BufferSize", "dim0.switch0"},
                                     {"ns3::FabricNode::BufferSize", "dim0.switch0"}})
    {
        const ScratchDirectory scratch("attributes");
        const auto file = scratch.Write(
            "c.yaml", MakeThreeToOneYaml("none", fmt::format("  ns3: {{\"{}\": 7}}\n", name)));
        try
        {
            Simulate(file);
            FAIL("a buffer of 7 B was taken");
        }
        catch (const ConfigError& error)
        {
            CHECK_THAT(error.what(),
                       Catch::Contains(fmt::format("network.ns3.{}: 7 B is too small for {}; with "
                                                   "these links it needs at least 4160 B",
                                                   name,
                                                   node)));
        }
    }
}
