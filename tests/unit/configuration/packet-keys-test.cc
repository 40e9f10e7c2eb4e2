// SPDX-License-Identifier: GPL-2.0-only
// What the keys of the packet network's mechanisms mean, and what is written back.
#include "configuration/config-file.h"
#include "tests/support/read-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/workload-yaml.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string BEGIN = WORKLOAD +
                          "network:\n"
                          "  dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 "
                          "ns}]\n";

PacketOptions
ReadPacket(const std::string& keys)
{
    return ReadText(BEGIN + "  packet: " + keys + "\n").network.packet;
}

/// The line of the effective configuration that holds `key`.
std::string
Written(const std::string& yaml, const std::string& key)
{
    const std::string text = WriteConfig(ReadText(yaml));
    const size_t at = text.find(" " + key + ":") + 1;
    return text.substr(at, text.find('\n', at) - at);
}

std::string
WrittenPacket(const std::string& keys, const std::string& key)
{
    return Written(BEGIN + "  packet: " + keys + "\n", key);
}

} // namespace

TEST_CASE("network.packet: no mechanism is on by default", "[unit][configuration]")
{
    const Config config = ReadText(BEGIN);
    const PacketOptions& packet = config.network.packet;
    CHECK(packet.congestionControl.name == "none");
    CHECK(packet.window.kind == WindowChoice::Kind::None);
    CHECK(!packet.pfc);
    CHECK(!packet.ecn);
    CHECK(!packet.buffer);
    CHECK(packet.loadBalancing.name == "ecmp");
    CHECK(packet.switching == Switching::StoreAndForward);
    CHECK(packet.lossRecovery == LossRecovery::GoBackN);
    CHECK(!packet.retransmitTimeout);
    CHECK(packet.ns3.empty());
    CHECK(packet.rerouteAfter == SimTime::FromUs(1000));
    CHECK(config.network.faults.empty());
    CHECK(!config.output.series);
    CHECK(config.output.pcap.empty());
}

TEST_CASE("network.packet: each mechanism lands where it belongs", "[unit][configuration]")
{
    const PacketOptions packet =
        ReadPacket("{congestion-control: dctcp, window: bdp, pfc: {headroom: 10 KB, alpha: 1/16}, "
                   "ecn: {min: 5 KB, max: 200 KB, probability: 0.01}, buffer: 32 MB, "
                   "load-balancing: adaptive, switching: cut-through, loss-recovery: selective, "
                   "retransmit-timeout: 5 us}");
    CHECK(packet.congestionControl.name == "dctcp");
    CHECK(packet.congestionControl.parameters.at("gain") == "0.0625");
    CHECK(packet.window.kind == WindowChoice::Kind::BandwidthDelayProduct);
    REQUIRE(packet.pfc);
    CHECK(packet.pfc->headroom == Bytes(10'000));
    CHECK(packet.pfc->alpha == 1.0 / 16);
    REQUIRE(packet.ecn);
    CHECK(packet.ecn->min == Bytes(5'000));
    CHECK(packet.ecn->max == Bytes(200'000));
    CHECK(packet.ecn->probability == 0.01);
    CHECK(packet.buffer == Bytes(32'000'000));
    CHECK(packet.loadBalancing.name == "adaptive");
    CHECK(packet.switching == Switching::CutThrough);
    CHECK(packet.lossRecovery == LossRecovery::Selective);
    CHECK(packet.retransmitTimeout == SimTime::FromUs(5));
}

TEST_CASE("network.packet.window: a size is a size", "[unit][configuration]")
{
    const WindowChoice window = ReadPacket("{window: 64 KiB}").window;
    CHECK(window.kind == WindowChoice::Kind::Fixed);
    CHECK(window.size == Bytes(64 * 1024));
    for (const std::string text : {"none", "bdp", "64 KiB"})
    {
        CHECK(WrittenPacket("{window: " + text + "}", "window") == "window: " + text);
    }
}

TEST_CASE("network.packet.pfc: on has the defaults, a mapping what it says",
          "[unit][configuration]")
{
    const PfcOptions defaults;
    for (const std::string text : {"on", "true", "{}", "{headroom: auto}"})
    {
        CAPTURE(text);
        const std::string keys = "{buffer: 1 MB, pfc: " + text + "}";
        const PacketOptions packet = ReadPacket(keys);
        REQUIRE(packet.pfc);
        CHECK(!packet.pfc->headroom);
        CHECK(packet.pfc->alpha == defaults.alpha);
        CHECK(WrittenPacket(keys, "pfc") == "pfc: {headroom: auto, alpha: 0.125}");
    }
    CHECK(ReadPacket("{buffer: 1 MB, pfc: {alpha: 0.25}}").pfc->alpha == 0.25);
    CHECK(ReadPacket("{buffer: 1 MB, pfc: {alpha: 8}}").pfc->alpha == 8);
    CHECK(!ReadPacket("{pfc: no}").pfc);
    CHECK(WrittenPacket("{pfc: no}", "pfc") == "pfc: off");
}

TEST_CASE("network.packet.ecn: a step is a range of one value; 0 and 1 are probabilities",
          "[unit][configuration]")
{
    const auto step = ReadPacket("{ecn: {min: 65 KB, max: 65 KB, probability: 1}}").ecn;
    REQUIRE(step);
    CHECK(step->min == step->max);
    CHECK(step->probability == 1);
    CHECK(ReadPacket("{ecn: {probability: 0}}").ecn->probability == 0);
    CHECK(ReadPacket("{ecn: on}").ecn->max == EcnOptions{}.max);
    CHECK(!ReadPacket("{ecn: off}").ecn);
}

TEST_CASE("network.packet.load-balancing: a name, or a mapping with parameters",
          "[unit][configuration]")
{
    const ComponentChoice choice =
        ReadPacket("{load-balancing: {name: flowlet, gap: 5 us}}").loadBalancing;
    CHECK(choice.name == "flowlet");
    CHECK(choice.parameters.at("gap") == "5 us");
    CHECK(WrittenPacket("{load-balancing: flowlet}", "load-balancing") ==
          "load-balancing: {name: flowlet, gap: 10 us}");
    CHECK(WrittenPacket("{load-balancing: spray}", "load-balancing") == "load-balancing: spray");
}

TEST_CASE("network.packet.congestion-control: what is not given is written with its default",
          "[unit][configuration]")
{
    const std::string all = "congestion-control: {name: hpcc, target-utilization: 0.95, max-stage: "
                            "0, additive-increase: auto, min-rate: 100 Mb/s}";
    CHECK(WrittenPacket("{congestion-control: hpcc}", "congestion-control") == all);
    CHECK(WrittenPacket("{congestion-control: {name: hpcc}}", "congestion-control") == all);
    CHECK(WrittenPacket("{" + all + "}", "congestion-control") == all);
    CHECK(WrittenPacket("{congestion-control: none}", "congestion-control") ==
          "congestion-control: none");
}

TEST_CASE("network.ns3: names and values as they were written, with their place",
          "[unit][configuration]")
{
    const std::string yaml = BEGIN + "  ns3:\n"
                                     "    \"ns3::FabricSwitch::BufferSize\": 32 MB\n"
                                     "    ns3::A::B: \"a: b, #c\"\n";
    const std::vector<Ns3Attribute> attributes = ReadText(yaml).network.packet.ns3;
    REQUIRE(attributes.size() == 2);
    CHECK(attributes[0].name == "ns3::FabricSwitch::BufferSize");
    CHECK(attributes[0].value == "32 MB");
    CHECK(attributes[0].where.ends_with("c.yaml:5: network.ns3.ns3::FabricSwitch::BufferSize"));
    CHECK(attributes[1].value == "a: b, #c");

    const std::vector<Ns3Attribute> again =
        ReadText(WriteConfig(ReadText(yaml))).network.packet.ns3;
    REQUIRE(again.size() == 2);
    CHECK(again[0].name == attributes[0].name);
    CHECK(again[0].value == attributes[0].value);
    CHECK(again[1].name == attributes[1].name);
    CHECK(again[1].value == attributes[1].value);
}

TEST_CASE("network.faults: each entry says when, where and what", "[unit][configuration]")
{
    const std::string yaml = BEGIN + "  faults:\n"
                                     "    - {at: 5 us, until: 90 us, link: [npu0, npu1], state: "
                                     "down}\n"
                                     "    - {link: all, loss: 1}\n"
                                     "    - {link: [npu2, npu1], bandwidth: 10 GB/s}\n"
                                     "  reroute-after: 0 us\n";
    // What was written says the same as what the user wrote.
    for (const Config& config : {ReadText(yaml), ReadText(WriteConfig(ReadText(yaml)))})
    {
        const std::vector<FaultSpec>& faults = config.network.faults;
        REQUIRE(faults.size() == 3);
        CHECK(faults[0].at == SimTime::FromUs(5));
        CHECK(faults[0].until == SimTime::FromUs(90));
        REQUIRE(faults[0].link);
        CHECK(faults[0].link->from == "npu0");
        CHECK(faults[0].link->to == "npu1");
        CHECK(faults[0].isDown);
        CHECK(!faults[0].loss);
        CHECK(!faults[0].bandwidth);
        CHECK(faults[1].at == SimTime{});
        CHECK(!faults[1].until);
        CHECK(!faults[1].link);
        CHECK(!faults[1].isDown);
        CHECK(faults[1].loss == 1.0);
        CHECK(faults[2].bandwidth == Bandwidth::FromBytesPerSecond(10'000'000'000));
        CHECK(config.network.packet.rerouteAfter == SimTime{});
    }
    CHECK(ReadText(yaml).network.faults[2].where.ends_with("c.yaml:7: network.faults[2]"));
}

TEST_CASE("output: an interval of samples, and links to capture", "[unit][configuration]")
{
    const std::string yaml =
        BEGIN + "output: {series: 10 us, pcap: [[npu0, npu1], [npu2, npu1]]}\n";
    const OutputConfig output = ReadText(yaml).output;
    CHECK(output.series == SimTime::FromUs(10));
    REQUIRE(output.pcap.size() == 2);
    CHECK(output.pcap[1].from == "npu2");
    CHECK(output.pcap[1].to == "npu1");
    CHECK(Written(yaml, "series") == "series: 10 us");
    CHECK(ReadText(WriteConfig(ReadText(yaml))).output.pcap.size() == 2);
}
