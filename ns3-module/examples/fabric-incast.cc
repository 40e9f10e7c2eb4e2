// SPDX-License-Identifier: GPL-2.0-only
// Incast: several NICs send one message each, at time 0, through one switch to one receiver.
// Prints when each message arrived and what the receiver's link carried.
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

struct Setting
{
    uint32_t senders = 8;
    uint64_t bytes = 1'000'000;
    std::string rate = "400Gb/s";
    std::string delay = "500ns";
};

Setting
ReadCommandLine(int argc, char* argv[])
{
    Setting setting;
    CommandLine command(__FILE__);
    command.AddValue("senders", "How many NICs send", setting.senders);
    command.AddValue("bytes", "Size of each message", setting.bytes);
    command.AddValue("rate", "Rate of every link", setting.rate);
    command.AddValue("delay", "Delay of every link", setting.delay);
    command.Parse(argc, argv);
    return setting;
}

void
PrintDelivery(const FabricQueuePair&, uint64_t sender)
{
    std::cout << std::setw(8) << sender << std::setw(16) << Simulator::Now().GetTimeStep() << "\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    const Setting setting = ReadCommandLine(argc, argv);

    FabricHelper::UseFabricSimulator();
    FabricHelper helper;
    helper.SetPortAttribute("DataRate", DataRateValue(DataRate(setting.rate)));
    helper.SetChannelAttribute("Delay", TimeValue(Time(setting.delay)));

    NodeContainer nodes;
    nodes.Create(setting.senders + 2);
    const uint32_t receiver = setting.senders;
    for (uint32_t i = 0; i <= receiver; ++i)
    {
        helper.InstallNic(nodes.Get(i))->SetDeliveredCallback(MakeCallback(&PrintDelivery));
    }
    Ptr<Node> middle = nodes.Get(setting.senders + 1);
    helper.InstallSwitch(middle);
    NetDeviceContainer lastLink;
    for (uint32_t i = 0; i <= receiver; ++i)
    {
        lastLink = helper.Connect(middle, nodes.Get(i));
    }

    std::cout << std::setw(8) << "sender" << std::setw(16) << "delivered_ps"
              << "\n";
    Fabric& fabric = *helper.GetFabric();
    for (uint32_t i = 0; i < setting.senders; ++i)
    {
        fabric.Post(fabric.OpenQueuePair({i, receiver, 0}), setting.bytes, i);
    }
    Simulator::Run();

    Ptr<FabricPort> bottleneck = DynamicCast<FabricPort>(lastLink.Get(0));
    const FabricPortCounters counters = bottleneck->ReadCounters(Simulator::Now().GetTimeStep());
    std::cout << "switch to receiver: " << counters.wireBytes << " bytes in " << counters.dataFrames
              << " data frames, at most " << counters.maxQueueBytes << " bytes waiting, "
              << Simulator::GetEventCount() << " events in all\n";
    Simulator::Destroy();
    return 0;
}
