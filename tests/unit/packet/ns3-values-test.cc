// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "network/packet/ns3-values.h"
#include "tests/support/config-error-text.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/fabric-port.h>
#include <ns3/fabric-protocol.h>
#include <ns3/fabric-switch.h>

#include <utility>

using namespace nadi;

namespace
{

std::optional<std::string>
ValueOf(const ns3::TypeId& type, const std::string& attribute, const std::string& text)
{
    ns3::TypeId::AttributeInformation found;
    REQUIRE(type.LookupAttributeByName(attribute, &found));
    return ToNs3Value(found, text);
}

/// What the user reads who sets this attribute in a network with DCQCN; empty: it is set.
std::string
ErrorOf(const std::string& name, const std::string& value)
{
    const Ns3EventLoop loop;
    ns3::FabricHelper helper;
    helper.UseCongestionControl("ns3::FabricDcqcn");
    return ConfigErrorText([&] { ApplyNs3Attribute(helper, {name, value, "c.yaml:3"}); });
}

} // namespace

TEST_CASE("Ns3Values: quantities are translated into what ns-3 reads", "[unit][packet]")
{
    const ns3::TypeId node = ns3::FabricSwitch::GetTypeId();
    CHECK(ValueOf(node, "BufferSize", "32 MB") == "32000000");
    CHECK(ValueOf(node, "Latency", "3 us") == "3000000ps");
    CHECK(ValueOf(ns3::FabricPort::GetTypeId(), "DataRate", "100 Gb/s") == "100000000000bps");
    CHECK(ValueOf(node, "PfcAlpha", "0.5") == "0.5");
    CHECK(ValueOf(ns3::FabricProtocol::GetTypeId(), "LossRecovery", "Selective") == "Selective");
}

TEST_CASE("Ns3Values: what ns-3 cannot read is no value and does not stop the program",
          "[unit][packet]")
{
    const ns3::TypeId node = ns3::FabricSwitch::GetTypeId();
    CHECK_FALSE(ValueOf(node, "PfcAlpha", "abc"));
    CHECK_FALSE(ValueOf(node, "PfcAlpha", ""));
    CHECK_FALSE(ValueOf(node, "PfcAlpha", "0.5 x"));
    CHECK_FALSE(ValueOf(node, "PfcAlpha", "-1"));
    CHECK_FALSE(ValueOf(node, "BufferSize", "much"));
    CHECK_FALSE(ValueOf(ns3::FabricProtocol::GetTypeId(), "LossRecovery", "Luck"));
}

TEST_CASE("Ns3Values: a text may have several words", "[unit][packet]")
{
    const ns3::TypeId port = ns3::FabricPort::GetTypeId();
    CHECK(ValueOf(port, "Weights", "0 1 1 1 1 1 1") == "0 1 1 1 1 1 1");
    for (const char* text : {"", "1 2", "1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 ", "a 1 1 1 1 1 1"})
    {
        CHECK_FALSE(ValueOf(port, "Weights", text));
    }
}

TEST_CASE("Ns3Values: attributes of the congestion control in use are set on it", "[unit][packet]")
{
    const Ns3EventLoop loop;
    ns3::FabricHelper helper;
    const auto control = helper.UseCongestionControl("ns3::FabricDcqcn");
    ApplyNs3Attribute(helper, {"ns3::FabricDcqcn::Gain", "0.25", ""});
    ApplyNs3Attribute(helper, {"ns3::FabricCongestionControl::MinRate", "3 Gb/s", ""});
    ns3::DoubleValue gain;
    ns3::DataRateValue rate;
    control->GetAttribute("Gain", gain);
    control->GetAttribute("MinRate", rate);
    CHECK(gain.Get() == 0.25);
    CHECK(rate.Get().GetBitRate() == 3'000'000'000);
}

TEST_CASE("Ns3Values: what would have no effect, or stop ns-3, is an error at its place",
          "[unit][packet]")
{
    CHECK(ErrorOf("ns3::FabricSwitch::BufferSize", "32 MB").empty());
    CHECK(ErrorOf("ns3::FabricNode::PfcAlpha", "0.5").empty());
    for (const auto& [attribute, key] : {std::pair{"ns3::FabricSwitch::Pfc", "pfc"},
                                         {"ns3::FabricNode::Pfc", "pfc"},
                                         {"ns3::FabricNic::Pfc", "pfc"},
                                         {"ns3::FabricProtocol::Payload", "payload"},
                                         {"ns3::FabricProtocol::Header", "header"},
                                         {"ns3::FabricSwitch::Latency", "switch-latency"},
                                         {"ns3::FabricSwitch::CutThrough", "switching"}})
    {
        CAPTURE(attribute);
        CHECK(ErrorOf(attribute, "1") == fmt::format("c.yaml:3: is what network.packet.{} says; "
                                                     "write it there",
                                                     key));
    }
    CHECK(ErrorOf("ns3::FabricPort::Weights", "8 1 1 1 1 1 1").empty());
    CHECK(!ErrorOf("ns3::FabricPort::Weights", "-1 1 1 1 1 1 1").empty());
    CHECK(ErrorOf("ns3::Nothing::X", "1") ==
          "c.yaml:3: there is no ns-3 type \"ns3::Nothing\"; write a full name such as "
          "ns3::FabricSwitch::BufferSize");
    const std::string links =
        "c.yaml:3: is what the topology says; write the bandwidth and latency "
        "of the link there";
    CHECK(ErrorOf("ns3::FabricPort::DataRate", "0 b/s") == links);
    CHECK(ErrorOf("ns3::FabricChannel::Delay", "1 us") == links);
    const auto absent = [](const std::string& type)
    {
        return "c.yaml:3: nothing in the network is a " + type +
               "; write an attribute of ns3::FabricPort, ns3::FabricProtocol, ns3::FabricNic, "
               "ns3::FabricSwitch or of the congestion control or the load balancer in use";
    };
    CHECK(ErrorOf("ns3::FabricHpcc::MaxStage", "3") == absent("ns3::FabricHpcc"));
    CHECK(ErrorOf("ns3::FabricSimulatorImpl::ScrambleSeed", "3") ==
          absent("ns3::FabricSimulatorImpl"));
    CHECK(ErrorOf("ns3::Node::Id", "3") == "c.yaml:3: cannot be set; leave it out");
    CHECK_THAT(ErrorOf("ns3::FabricProtocol::ControlFrame", "0"),
               Catch::Contains("\"0\" is no value of it"));
}
