// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/ns3-values.h"

#include <catch2/catch.hpp>
#include <ns3/fabric-port.h>
#include <ns3/fabric-switch.h>

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

} // namespace

TEST_CASE("Ns3Values: quantities are translated into what ns-3 reads", "[unit][packet]")
{
    const ns3::TypeId node = ns3::FabricSwitch::GetTypeId();
    CHECK(ValueOf(node, "BufferSize", "32 MB") == "32000000");
    CHECK(ValueOf(node, "Latency", "3 us") == "3000000ps");
    CHECK(ValueOf(ns3::FabricPort::GetTypeId(), "DataRate", "100 Gb/s") == "100000000000bps");
    CHECK(ValueOf(node, "PfcAlpha", "0.5") == "0.5");
    CHECK(ValueOf(node, "LoadBalancing", "Spray") == "Spray");
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
    CHECK_FALSE(ValueOf(node, "LoadBalancing", "Luck"));
}

TEST_CASE("Ns3Values: a text may have several words", "[unit][packet]")
{
    CHECK(ValueOf(ns3::FabricPort::GetTypeId(), "Weights", "0 1 1 1 1 1 1") == "0 1 1 1 1 1 1");
}
