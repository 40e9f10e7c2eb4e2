// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_STAR_TEST_H
#define FABRIC_STAR_TEST_H

#include "ns3/data-rate.h"
#include "ns3/fabric-helper.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

namespace fabricstar
{

constexpr uint64_t RATE = 400'000'000'000; ///< bits per second: 2.5 ps a bit
constexpr uint32_t FRAME_PAYLOAD = 1000;
constexpr uint32_t HEADER = 48;
constexpr uint32_t CONTROL = 64;
constexpr int64_t DELAY = 500'000; ///< picoseconds

/// ceil(8 bytes / rate) in picoseconds.
constexpr int64_t
WireTime(uint32_t bytes)
{
    return (int64_t{bytes} * 8 * 1'000'000'000'000 / 1'000'000 + int64_t{RATE / 1'000'000} - 1) /
           int64_t{RATE / 1'000'000};
}

constexpr int64_t FRAME = WireTime(FRAME_PAYLOAD + HEADER);

/// \ingroup fabric
/// NICs around one switch; deliveries are remembered by cookie.
class FabricStarTestCase : public TestCase
{
  public:
    explicit FabricStarTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
    }

    void Build(uint32_t nics, uint64_t scrambleSeed = 0)
    {
        FabricHelper::UseFabricSimulator(scrambleSeed);
        FabricHelper helper;
        BuildWith(helper, nics);
    }

    /// With what was asked of the helper before. Requires: the simulator is the fabric's.
    void BuildWith(FabricHelper& helper, uint32_t nics)
    {
        m_delivered.clear();
        m_nodes = NodeContainer();
        helper.SetPortAttribute("DataRate", DataRateValue(DataRate(RATE)));
        helper.SetChannelAttribute("Delay", TimeValue(TimeStep(uint64_t{DELAY})));
        helper.SetProtocolAttribute("Payload", UintegerValue(FRAME_PAYLOAD));
        helper.SetProtocolAttribute("Header", UintegerValue(HEADER));
        helper.SetProtocolAttribute("ControlFrame", UintegerValue(CONTROL));
        m_nodes.Create(nics + 1);
        for (uint32_t i = 0; i < nics; ++i)
        {
            helper.InstallNic(m_nodes.Get(i))
                ->SetDeliveredCallback(MakeCallback(&FabricStarTestCase::OnDelivered, this));
        }
        helper.InstallSwitch(m_nodes.Get(nics))
            ->SetDeliveredCallback(MakeCallback(&FabricStarTestCase::OnDelivered, this));
        for (uint32_t i = 0; i < nics; ++i)
        {
            helper.Connect(m_nodes.Get(i), m_nodes.Get(nics));
        }
    }

    /// Of NIC `index`, or of the switch, which comes after the NICs.
    FabricNode& NodeOf(uint32_t index) const
    {
        return *m_nodes.Get(index)->GetObject<FabricNode>();
    }

    Fabric& GetFabric() const
    {
        return NodeOf(0).GetFabric();
    }

    /// One message on a queue pair of its own.
    void Send(const FabricFlowKey& key, uint64_t size, uint64_t cookie) const
    {
        GetFabric().Post(GetFabric().OpenQueuePair(key), size, cookie);
    }

    /// The sending port of NIC `index`; its peer is the switch's.
    FabricPort& PortOfNic(uint32_t index) const
    {
        return NodeOf(index).GetPort(0);
    }

    void RunAndCheckConservation()
    {
        Simulator::Run();
        for (uint32_t i = 0; i + 1 < m_nodes.GetN(); ++i)
        {
            PortOfNic(i).CheckConservation();
            PortOfNic(i).GetPeer().CheckConservation();
        }
    }

    FabricPortCounters Read(FabricPort& port) const
    {
        return port.ReadCounters(Simulator::Now().GetTimeStep());
    }

    std::map<uint64_t, int64_t> m_delivered; ///< cookie -> picoseconds

  private:
    void DoTeardown() override
    {
        m_nodes = NodeContainer();
        Simulator::Destroy();
    }

    void OnDelivered(const FabricQueuePair&, uint64_t cookie)
    {
        m_delivered[cookie] = Simulator::Now().GetTimeStep();
    }

    NodeContainer m_nodes;
};

} // namespace fabricstar

} // namespace ns3

#endif /* FABRIC_STAR_TEST_H */
