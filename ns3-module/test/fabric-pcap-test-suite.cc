// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-pcap-helper.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/pcap-file.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t CAPTURED_RATE = 80'000'000'000; ///< bits per second: a byte takes 100 ps
constexpr int64_t BYTE = 100;                      ///< picoseconds
constexpr uint32_t CAPTURED_PAYLOAD = 1000;
constexpr uint32_t CAPTURED_HEADER = 60;
constexpr uint32_t CAPTURED_CONTROL = 64;
constexpr int64_t CAPTURED_DELAY = 500'000; ///< picoseconds
constexpr int64_t CAPTURED_FRAME = (CAPTURED_PAYLOAD + CAPTURED_HEADER) * BYTE;

/// A record of a capture.
struct Record
{
    int64_t ns;
    uint32_t kept; ///< bytes in the file
    uint32_t size; ///< of the frame
    std::vector<uint8_t> bytes;

    /// Of the InfiniBand base transport header.
    uint32_t GetOpcode() const
    {
        return bytes.at(14 + 20 + 8);
    }

    /// The low byte of the sending node's index.
    uint32_t GetSource() const
    {
        return bytes.at(11);
    }
};

std::vector<Record>
ReadAll(const std::string& fileName)
{
    PcapFile file;
    file.Open(fileName, std::ios::in);
    std::vector<Record> records;
    while (!file.Fail())
    {
        std::vector<uint8_t> bytes(FabricPcapHelper::SNAP_BYTES);
        uint32_t seconds = 0;
        uint32_t nanoseconds = 0;
        uint32_t read = 0;
        Record record{};
        file.Read(bytes.data(),
                  FabricPcapHelper::SNAP_BYTES,
                  seconds,
                  nanoseconds,
                  record.kept,
                  record.size,
                  read);
        if (file.Fail() || file.Eof())
        {
            break;
        }
        record.ns = int64_t{seconds} * 1'000'000'000 + nanoseconds;
        record.bytes = bytes;
        records.push_back(record);
    }
    return records;
}

} // namespace

/// \ingroup fabric
/// Two NICs and a switch; a capture at the port of NIC 1.
class FabricPcapTestCase : public TestCase
{
  public:
    FabricPcapTestCase()
        : TestCase("a capture shows what a port sends and receives, in the order of time")
    {
    }

  private:
    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
    }

    void DoTeardown() override
    {
        m_nodes = NodeContainer();
        Simulator::Destroy();
    }

    void DoRun() override
    {
        CheckOneMessage();
        CheckBothWays();
        CheckPauses();
    }

    void Build(uint32_t controlFrame)
    {
        Simulator::Destroy();
        FabricHelper helper;
        helper.SetPortAttribute("DataRate", DataRateValue(DataRate(CAPTURED_RATE)));
        helper.SetChannelAttribute("Delay", TimeValue(TimeStep(uint64_t{CAPTURED_DELAY})));
        helper.SetProtocolAttribute("Payload", UintegerValue(CAPTURED_PAYLOAD));
        helper.SetProtocolAttribute("Header", UintegerValue(CAPTURED_HEADER));
        helper.SetProtocolAttribute("ControlFrame", UintegerValue(controlFrame));
        helper.SetProtocolAttribute("Trains", BooleanValue(false)); // captures end them
        m_nodes = NodeContainer();
        m_nodes.Create(3);
        helper.InstallNic(m_nodes.Get(0));
        helper.InstallNic(m_nodes.Get(1));
        helper.InstallSwitch(m_nodes.Get(2));
        helper.Connect(m_nodes.Get(0), m_nodes.Get(2));
        helper.Connect(m_nodes.Get(1), m_nodes.Get(2));
    }

    FabricNic& Nic(uint32_t index) const
    {
        return *m_nodes.Get(index)->GetObject<FabricNic>();
    }

    void Send(const FabricFlowKey& key, uint64_t size, uint64_t cookie)
    {
        Fabric& fabric = Nic(0).GetFabric();
        fabric.Post(fabric.OpenQueuePair(key), size, cookie);
    }

    std::string StartCapture(const std::string& name)
    {
        const std::string fileName = CreateTempDirFilename(name);
        FabricPcapHelper::EnablePcap(fileName, Ptr<FabricPort>(&Nic(1).GetPort(0)));
        return fileName;
    }

    /// Two frames come in, an acknowledgement goes out at once.
    void CheckOneMessage()
    {
        Build(CAPTURED_CONTROL);
        const std::string fileName = StartCapture("one.pcap");
        Send({0, 1, 0}, 2 * CAPTURED_PAYLOAD, 1);
        Simulator::Run();
        Simulator::Destroy(); // closes the file
        const std::vector<Record> records = ReadAll(fileName);
        NS_TEST_ASSERT_MSG_EQ(records.size(), 3, "records");
        const int64_t first = 2 * (CAPTURED_FRAME + CAPTURED_DELAY);
        const int64_t second = first + CAPTURED_FRAME;
        CheckRecord(records.at(0),
                    {first / 1000,
                     CAPTURED_PAYLOAD + CAPTURED_HEADER,
                     CAPTURED_PAYLOAD + CAPTURED_HEADER,
                     {}},
                    0x01);
        CheckRecord(records.at(1),
                    {second / 1000,
                     CAPTURED_PAYLOAD + CAPTURED_HEADER,
                     CAPTURED_PAYLOAD + CAPTURED_HEADER,
                     {}},
                    0x02);
        CheckRecord(records.at(2), {second / 1000, CAPTURED_CONTROL, CAPTURED_CONTROL, {}}, 0x11);
        NS_TEST_ASSERT_MSG_EQ(records.at(0).GetSource(), 0, "came from node 0");
        NS_TEST_ASSERT_MSG_EQ(records.at(2).GetSource(), 1, "went from node 1");
    }

    void CheckRecord(const Record& record, const Record& expected, uint32_t opcode)
    {
        NS_TEST_ASSERT_MSG_EQ(record.ns, expected.ns, "time");
        NS_TEST_ASSERT_MSG_EQ(record.kept, expected.kept, "bytes in the file");
        NS_TEST_ASSERT_MSG_EQ(record.size, expected.size, "size of the frame");
        NS_TEST_ASSERT_MSG_EQ(record.GetOpcode(), opcode, "opcode");
    }

    /// Frames of both directions mix. Answers here are smaller than their headers.
    void CheckBothWays()
    {
        const uint32_t frames = 20;
        const uint32_t control = 20;
        Build(control);
        const uint64_t events = RunBothWays(frames);
        Build(control);
        const std::string fileName = StartCapture("both.pcap");
        const uint64_t withCapture = RunBothWays(frames);
        NS_TEST_ASSERT_MSG_EQ(withCapture, events, "a capture adds no event");
        uint32_t answers = 0;
        uint32_t sent = 0;
        int64_t last = 0;
        const std::vector<Record> records = ReadAll(fileName);
        for (const Record& record : records)
        {
            NS_TEST_ASSERT_MSG_GT_OR_EQ(record.ns, last, "times never decrease");
            last = record.ns;
            answers += record.size == control && record.kept == control;
            sent += record.GetSource() == 1;
        }
        NS_TEST_ASSERT_MSG_EQ(records.size(), 2 * (frames + 1), "all frames of both directions");
        NS_TEST_ASSERT_MSG_EQ(answers, 2, "one answer each");
        NS_TEST_ASSERT_MSG_EQ(sent, frames + 1, "frames sent");
    }

    /// \return How many events it took.
    uint64_t RunBothWays(uint32_t frames)
    {
        Send({0, 1, 0}, frames * CAPTURED_PAYLOAD, 1);
        Send({1, 0, 0}, frames * CAPTURED_PAYLOAD, 2);
        Simulator::Run();
        const uint64_t events = Simulator::GetEventCount();
        Simulator::Destroy();
        return events;
    }

    /// Pauses name the node that sent them.
    void CheckPauses()
    {
        Build(CAPTURED_CONTROL);
        const std::string fileName = StartCapture("pauses.pcap");
        FabricFrame pause;
        pause.kind = FabricFrameKind::Pause;
        pause.priority = FABRIC_CONTROL_PRIORITY;
        pause.wireBytes = CAPTURED_CONTROL;
        pause.detail = 1;
        Nic(1).GetPort(0).Enqueue(pause, 0);
        Nic(1).GetPort(0).GetPeer().Enqueue(pause, 0);
        Simulator::Run();
        Simulator::Destroy();
        const std::vector<Record> records = ReadAll(fileName);
        NS_TEST_ASSERT_MSG_EQ(records.size(), 2, "records");
        NS_TEST_ASSERT_MSG_EQ(records.at(0).ns, 0, "sent");
        NS_TEST_ASSERT_MSG_EQ(records.at(0).GetSource(), 1, "by node 1");
        NS_TEST_ASSERT_MSG_EQ(
            records.at(1).ns, (CAPTURED_CONTROL * BYTE + CAPTURED_DELAY) / 1000, "received");
        NS_TEST_ASSERT_MSG_EQ(records.at(1).GetSource(), 2, "by the switch");
    }

    NodeContainer m_nodes;
};

/// \ingroup fabric
/// The suite of captures.
class FabricPcapTestSuite : public TestSuite
{
  public:
    FabricPcapTestSuite()
        : TestSuite("fabric-pcap", UNIT)
    {
        AddTestCase(new FabricPcapTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricPcapTestSuite g_fabricPcapTestSuite;
