// SPDX-License-Identifier: GPL-2.0-only
// What CONTRIBUTING.md says of shapes, generators of topologies and congestion controls, followed
// once: what is registered here can be chosen in a configuration, has parameters, and runs.
#include "network/backend-kind.h"
#include "network/generator-parts.h"
#include "network/shapes/switch-shape.h"
#include "network/topology-generator.h"
#include "tests/support/config-error-text.h"
#include "tests/support/fixed-delay-backend.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <ns3/double.h>
#include <ns3/fabric-congestion-control.h>
#include <ns3/fabric-load-balancer.h>
#include <ns3/uinteger.h>

using namespace nadi;

namespace
{

/// A switch whose links are slower than the dimension says.
class ToyShape : public SwitchShape
{
  public:
    static constexpr const char* Help = "A switch with slow links.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"slowdown", ParameterKind::Count, "2", "How many times slower each link is."}};
    }

    explicit ToyShape(const Parameters& parameters)
        : m_slowdown(parameters.Get<int64_t>("slowdown"))
    {
    }

    void AddLine(const ShapeLine& line, Topology& topology) const override
    {
        ShapeLine slow = line;
        slow.rate.bandwidth =
            Bandwidth::FromBitsPerSecond(line.rate.bandwidth.BitsPerSecond() / m_slowdown);
        SwitchShape::AddLine(slow, topology);
    }

  private:
    int64_t m_slowdown;
};

NADI_REGISTER(Shape, ToyShape, "toy-switch");

/// All NPUs on one switch.
class ToyGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help = "All NPUs on one switch.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs({RequiredCount("npus", "The number of NPUs."),
                          RequiredLink("link", "between an NPU and the switch")});
    }

    explicit ToyGenerator(const Parameters& parameters)
        : m_npus(GetCount(parameters, "npus", 1))
        , m_link(GetLink(parameters, "link"))
    {
    }

    TopologySize Size() const override
    {
        return {m_npus, 1, 2 * uint64_t{m_npus}};
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_npus);
        const VertexRange center = AddSwitches(topology, "center", 1);
        for (uint32_t npu = 0; npu < m_npus; ++npu)
        {
            Join(topology, npus.At(npu), center.At(0), m_link);
        }
    }

  private:
    uint32_t m_npus;
    LinkRate m_link;
};

NADI_REGISTER(TopologyGenerator, ToyGenerator, "toy-star");

/// Links without contention and without frames.
class ToyBackendKind : public BackendKind
{
  public:
    static constexpr const char* Help =
        "Messages leave a rank one after the other, and cross no links.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"delay", ParameterKind::Duration, "5 us", "The time on the way."}};
    }

    explicit ToyBackendKind(const Parameters& parameters)
        : m_delay(parameters.Get<SimTime>("delay"))
    {
    }

    std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& from) const override
    {
        return std::make_unique<test::FixedDelayBackend>(
            from.loop,
            from.topology.NpuCount(),
            m_delay,
            Bandwidth::FromBytesPerSecond(1'000'000'000));
    }

  private:
    SimTime m_delay;
};

NADI_REGISTER(BackendKind, ToyBackendKind, "toy-delay");

RunResults
RunFlow(const std::string& network)
{
    return RunYaml({.yaml = "workload: {flows: [{src: 0, dst: 1, size: 1 MB}]}\n"
                            "network: {" +
                            network + "}\n" + "system: {endpoint-delay: 0 ns}\n"});
}

const std::string FRAMES = ", packet: {payload: 1 MB, header: 0 B}";

} // namespace

namespace ns3
{

/// Every queue pair sends at a fixed share of the line rate.
class FabricToyShare : public FabricCongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId type = TypeId("ns3::FabricToyShare")
                                       .SetParent<FabricCongestionControl>()
                                       .AddConstructor<FabricToyShare>()
                                       .AddAttribute("Share",
                                                     "The share of the line rate.",
                                                     DoubleValue(0.5),
                                                     MakeDoubleAccessor(&FabricToyShare::m_share),
                                                     MakeDoubleChecker<double>(0.01, 1));
        return type;
    }

    std::string GetHelp() const override
    {
        return "Every queue pair sends at a fixed share of the line rate.";
    }

    FabricCongestionSignals GetSignals() const override
    {
        return {};
    }

    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t /*now*/) const override
    {
        struct FixedRate : FabricRateControl
        {
            FixedRate(const FabricPathProperties& path, double share)
                : FabricRateControl(path)
            {
                m_rate *= share;
            }
        };

        return std::make_unique<FixedRate>(path, m_share);
    }

  private:
    double m_share = 0.5;
};

NS_OBJECT_ENSURE_REGISTERED(FabricToyShare);

/// All frames take the same one of several ways.
class FabricToyWayBalancer : public FabricLoadBalancer
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId type =
            TypeId("ns3::FabricToyWayBalancer")
                .SetParent<FabricLoadBalancer>()
                .AddConstructor<FabricToyWayBalancer>()
                .AddAttribute("Way",
                              "The index of the way.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&FabricToyWayBalancer::m_way),
                              MakeUintegerChecker<uint32_t>(0, 7));
        return type;
    }

    std::string GetHelp() const override
    {
        return "All frames take the same one of several ways.";
    }

    uint32_t Pick(const Question& question) override
    {
        return m_way % static_cast<uint32_t>(question.candidates.size());
    }

  private:
    uint32_t m_way = 0;
};

NS_OBJECT_ENSURE_REGISTERED(FabricToyWayBalancer);

} // namespace ns3

TEST_CASE("A shape that is registered elsewhere can be chosen with parameters, and runs",
          "[extension]")
{
    const auto finish = [](const std::string& shape)
    {
        return RunFlow("dimensions: [{shape: " + shape +
                       ", size: 2, bandwidth: 1 GB/s, latency: 1 us}]" + FRAMES)
            .finish;
    };
    CHECK(finish("switch") == SimTime::FromUs(2002)); // 1 ms on each of two links, and 1 us
    CHECK(finish("toy-switch") == SimTime::FromUs(4002));
    CHECK(finish("toy-switch, slowdown: 4") == SimTime::FromUs(8002));
    CHECK(ConfigErrorText([&] { finish("switch, slowdown: 3"); }).find("slowdown: unknown key") !=
          std::string::npos);
}

TEST_CASE("A generator that is registered elsewhere can be chosen, and runs", "[extension]")
{
    const std::string star = "topology: {generator: toy-star, npus: 3, link: {bandwidth: 1 GB/s, "
                             "latency: 1 us}}";
    CHECK(RunFlow(star + FRAMES).finish == SimTime::FromUs(2002));
}

TEST_CASE(
    "A congestion control that is registered elsewhere can be chosen with attributes, and runs",
    "[extension]")
{
    const auto finish = [](const std::string& control)
    {
        return RunFlow("dimensions: [{shape: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}], "
                       "packet: {payload: 500 KB, header: 0 B, congestion-control: " +
                       control + "}")
            .finish;
    };
    // Two frames of 0.5 ms; the second starts 0.5 ms / share after the first.
    CHECK(finish("none") == SimTime::FromUs(1502));
    CHECK(finish("toy-share") == SimTime::FromUs(2002));
    CHECK(finish("{name: toy-share, share: 0.25}") == SimTime::FromUs(3002));
}

TEST_CASE("A load balancer that is registered elsewhere can be chosen with attributes, and runs",
          "[extension]")
{
    // Two flows between two leaves that two spines join.
    const auto run = [](const std::string& balancer)
    {
        return RunYaml(
            {.yaml =
                 "workload: {flows: [{src: 0, dst: 2, size: 1 MB}, {src: 1, dst: 3, size: 1 MB}]}\n"
                 "network:\n"
                 "  topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 2, spines: 2, link: "
                 "{bandwidth: 1 GB/s, latency: 1 us}}\n"
                 "  packet: {load-balancing: " +
                 balancer + "}\n"});
    };
    const RunResults first = run("toy-way");
    const RunResults second = run("{name: toy-way, way: 1}");
    CHECK(first.finish == second.finish);
    CHECK(first.finish > SimTime::FromUs(2000)); // they share a link of 1 GB/s
    // Data of one run goes over the spine that it leaves alone in the other.
    uint32_t shared = 0;
    for (size_t link = 0; link < first.links.size(); ++link)
    {
        const bool isFirst = first.links[link].packets > 0;
        const bool isSecond = second.links[link].packets > 0;
        shared += isFirst && isSecond ? 1 : 0;
    }
    CHECK(shared == 4); // each NPU and its leaf
}

TEST_CASE("A backend that is registered elsewhere can be chosen with parameters, and runs",
          "[extension]")
{
    const std::string network =
        "dimensions: [{shape: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}], backend: ";
    // 1 MB at 1 GB/s, and the delay.
    CHECK(RunFlow(network + "toy-delay").finish == SimTime::FromUs(1005));
    CHECK(RunFlow(network + "{name: toy-delay, delay: 7 us}").finish == SimTime::FromUs(1007));
}
