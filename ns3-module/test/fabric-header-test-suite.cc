// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/fabric-header.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr uint32_t ETHERNET = 14;
constexpr uint32_t IP = 20;
constexpr uint32_t UDP = 8;
constexpr uint32_t BTH = 12;

Bytes
Serialize(const FabricHeader& header)
{
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(header);
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

FabricFlow
MakeFlow()
{
    FabricFlow flow;
    flow.key.source = 1;
    flow.key.destination = 0x020304;
    flow.identity = 0x1122334455667788U;
    return flow;
}

FabricFrame
MakeFrame(FabricFrameKind kind, uint32_t wireBytes)
{
    FabricFrame frame;
    frame.kind = kind;
    frame.wireBytes = wireBytes;
    frame.sequence = 5;
    frame.priority = kind == FabricFrameKind::Data ? 3 : FABRIC_CONTROL_PRIORITY;
    return frame;
}

uint32_t
ReadU16(const Bytes& bytes, uint32_t at)
{
    return uint32_t{bytes.at(at)} << 8 | bytes.at(at + 1);
}

uint32_t
GetIpLength(const Bytes& bytes)
{
    return ReadU16(bytes, ETHERNET + 2);
}

} // namespace

/// \ingroup fabric
/// Whole frames against bytes written by hand.
class FabricHeaderBytesTestCase : public TestCase
{
  public:
    FabricHeaderBytesTestCase()
        : TestCase("the bytes of a header are those of RoCEv2 and 802.1Qbb")
    {
    }

  private:
    void DoRun() override
    {
        CheckData();
        CheckAcknowledgement();
        CheckPause();
    }

    void CheckData()
    {
        FabricFrame frame = MakeFrame(FabricFrameKind::Data, 1064);
        frame.sequence = 0x1000005;
        frame.isLastOfMessage = true;
        frame.isMarked = true;
        // Lengths: 1064 - 14 = 0x041a, less 20 is 0x0406. The words of the IPv4 header but its
        // checksum add up to 0xe095.
        const Bytes expected{
            0x02, 0x00, 0x00, 0x02, 0x03, 0x04, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, //
            0x45, 0x63, 0x04, 0x1a, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x1f, 0x6a,             //
            0x0a, 0x00, 0x00, 0x01, 0x0a, 0x02, 0x03, 0x04,                                     //
            0xf7, 0x88, 0x12, 0xb7, 0x04, 0x06, 0x00, 0x00,                                     //
            0x02, 0x00, 0xff, 0xff, 0x00, 0x66, 0x77, 0x88, 0x80, 0x00, 0x00, 0x05};
        NS_TEST_ASSERT_MSG_EQ(
            (Serialize(FabricHeader(frame, MakeFlow())) == expected), true, "marked, and last");
    }

    void CheckAcknowledgement()
    {
        const FabricFrame frame = MakeFrame(FabricFrameKind::Acknowledgement, 64);
        // Frame 4 is the last that arrived. Lengths: 20 + 8 + 12 + 4 and a CRC of 4 are 0x30.
        const Bytes expected{
            0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x02, 0x03, 0x04, 0x08, 0x00, //
            0x45, 0x00, 0x00, 0x30, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x23, 0xb7,             //
            0x0a, 0x02, 0x03, 0x04, 0x0a, 0x00, 0x00, 0x01,                                     //
            0xf7, 0x88, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00,                                     //
            0x11, 0x00, 0xff, 0xff, 0x00, 0x66, 0x77, 0x88, 0x00, 0x00, 0x00, 0x04,             //
            0x1f, 0x00, 0x00, 0x00};
        NS_TEST_ASSERT_MSG_EQ(
            (Serialize(FabricHeader(frame, MakeFlow())) == expected), true, "the way back");
    }

    void CheckPause()
    {
        FabricFrame frame = MakeFrame(FabricFrameKind::Pause, 64);
        frame.detail = 3;
        Bytes expected{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x00,
                       0x00, 0x00, 0x00, 0x07, 0x88, 0x08,             //
                       0x01, 0x01, 0x00, 0x08,                         //
                       0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, //
                       0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
        NS_TEST_ASSERT_MSG_EQ((Serialize(FabricHeader(frame, 7)) == expected), true, "pause");
        frame.kind = FabricFrameKind::Resume;
        expected.at(24) = 0;
        expected.at(25) = 0;
        NS_TEST_ASSERT_MSG_EQ((Serialize(FabricHeader(frame, 7)) == expected), true, "resume");
    }
};

/// \ingroup fabric
/// Single fields of all kinds of frames.
class FabricHeaderFieldsTestCase : public TestCase
{
  public:
    FabricHeaderFieldsTestCase()
        : TestCase("the fields of a header say what the frame is")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t bth = ETHERNET + IP + UDP;
        const Bytes inner = SerializeOf(FabricFrameKind::Data, 1064);
        NS_TEST_ASSERT_MSG_EQ(uint32_t{inner.at(ETHERNET + 1)}, (3 << 5 | 2), "ECT(0)");
        NS_TEST_ASSERT_MSG_EQ(uint32_t{inner.at(bth)}, 0x01, "SEND middle");
        NS_TEST_ASSERT_MSG_EQ(uint32_t{inner.at(bth + 8)}, 0, "asks for no acknowledgement");
        const Bytes notification = SerializeOf(FabricFrameKind::CongestionNotification, 64);
        NS_TEST_ASSERT_MSG_EQ(uint32_t{notification.at(bth)}, 0x81, "CNP");
        NS_TEST_ASSERT_MSG_EQ(uint32_t{notification.at(bth + 4)}, 0x40, "backward notification");
        const Bytes negative = SerializeOf(FabricFrameKind::NegativeAcknowledgement, 64);
        NS_TEST_ASSERT_MSG_EQ(uint32_t{negative.at(bth)}, 0x11, "acknowledge");
        NS_TEST_ASSERT_MSG_EQ(uint32_t{negative.at(bth + 11)}, 5, "the frame that is missing");
        NS_TEST_ASSERT_MSG_EQ(uint32_t{negative.at(bth + BTH)}, 0x60, "sequence error");
        CheckLengths();
        CheckChecksums();
    }

    static Bytes SerializeOf(FabricFrameKind kind, uint32_t wireBytes)
    {
        return Serialize(FabricHeader(MakeFrame(kind, wireBytes), MakeFlow()));
    }

    /// The length never passes the frame, nor 16 bits, nor is it less than the headers.
    void CheckLengths()
    {
        const FabricFrameKind notification = FabricFrameKind::CongestionNotification;
        const uint32_t headers = IP + UDP + BTH;
        NS_TEST_ASSERT_MSG_EQ(GetIpLength(SerializeOf(notification, 64)), 64 - ETHERNET, "CNP");
        NS_TEST_ASSERT_MSG_EQ(
            GetIpLength(SerializeOf(notification, 200)), headers + 16 + 4, "CNP with room");
        NS_TEST_ASSERT_MSG_EQ(
            GetIpLength(SerializeOf(FabricFrameKind::Data, 1)), headers, "smaller than headers");
        NS_TEST_ASSERT_MSG_EQ(
            GetIpLength(SerializeOf(FabricFrameKind::Data, 1'000'000)), 0xffff, "larger than IP");
    }

    /// The words of a right IPv4 header add up to all ones.
    void CheckChecksums()
    {
        for (const FabricFrameKind kind : {FabricFrameKind::Data,
                                           FabricFrameKind::Acknowledgement,
                                           FabricFrameKind::NegativeAcknowledgement,
                                           FabricFrameKind::CongestionNotification})
        {
            for (uint32_t wireBytes = 1; wireBytes < 5000; wireBytes += 37)
            {
                const Bytes bytes = SerializeOf(kind, wireBytes);
                uint32_t sum = 0;
                for (uint32_t at = 0; at < IP; at += 2)
                {
                    sum += ReadU16(bytes, ETHERNET + at);
                }
                sum = (sum & 0xffff) + (sum >> 16);
                NS_TEST_ASSERT_MSG_EQ(sum, 0xffff, "checksum");
            }
        }
    }
};

/// \ingroup fabric
/// Reading is the inverse of writing, and refuses everything else.
class FabricHeaderReadTestCase : public TestCase
{
  public:
    FabricHeaderReadTestCase()
        : TestCase("a header that was read writes the same bytes; others are refused")
    {
    }

  private:
    void DoRun() override
    {
        for (const FabricFrameKind kind : {FabricFrameKind::Data,
                                           FabricFrameKind::Acknowledgement,
                                           FabricFrameKind::NegativeAcknowledgement,
                                           FabricFrameKind::CongestionNotification})
        {
            CheckRound(FabricHeader(MakeFrame(kind, 64), MakeFlow()));
        }
        FabricFrame last = MakeFrame(FabricFrameKind::Data, 100);
        last.isLastOfMessage = true;
        last.isMarked = true;
        CheckRound(FabricHeader(last, MakeFlow()));
        for (const FabricFrameKind kind : {FabricFrameKind::Pause, FabricFrameKind::Resume})
        {
            FabricFrame pause = MakeFrame(kind, 64);
            pause.detail = FABRIC_PRIORITIES - 1;
            CheckRound(FabricHeader(pause, 9));
        }
        CheckRefused();
    }

    static uint32_t Read(const Bytes& bytes, FabricHeader& header)
    {
        const uint32_t size = static_cast<uint32_t>(bytes.size());
        return Create<Packet>(bytes.data(), size)->PeekHeader(header);
    }

    void CheckRound(const FabricHeader& header)
    {
        const Bytes bytes = Serialize(header);
        FabricHeader read;
        NS_TEST_ASSERT_MSG_EQ(Read(bytes, read), bytes.size(), "bytes read");
        NS_TEST_ASSERT_MSG_EQ((Serialize(read) == bytes), true, "the same again");
    }

    void CheckRefused()
    {
        const Bytes right =
            Serialize(FabricHeader(MakeFrame(FabricFrameKind::Acknowledgement, 64), MakeFlow()));
        const uint32_t etherType = ETHERNET - 2;
        const uint32_t protocol = ETHERNET + 9;
        const uint32_t port = ETHERNET + IP + 2;
        const uint32_t opcode = ETHERNET + IP + UDP;
        FabricHeader read;
        for (const uint32_t at : {etherType, protocol, port, opcode})
        {
            Bytes wrong = right;
            wrong.at(at) ^= 0x20;
            NS_TEST_ASSERT_MSG_EQ(Read(wrong, read), 0, "wrong at byte " << at);
        }
        for (std::size_t size = 0; size < right.size(); ++size)
        {
            const auto end = right.begin() + static_cast<std::ptrdiff_t>(size);
            NS_TEST_ASSERT_MSG_EQ(Read(Bytes(right.begin(), end), read), 0, size << " bytes");
        }
    }
};

/// \ingroup fabric
/// The suite of the headers in captures.
class FabricHeaderTestSuite : public TestSuite
{
  public:
    FabricHeaderTestSuite()
        : TestSuite("fabric-header", UNIT)
    {
        AddTestCase(new FabricHeaderBytesTestCase, TestCase::QUICK);
        AddTestCase(new FabricHeaderFieldsTestCase, TestCase::QUICK);
        AddTestCase(new FabricHeaderReadTestCase, TestCase::QUICK);
    }
};

/// Registers the suite.
static FabricHeaderTestSuite g_fabricHeaderTestSuite;
