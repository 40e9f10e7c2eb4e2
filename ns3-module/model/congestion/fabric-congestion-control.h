// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CONGESTION_CONTROL_H
#define FABRIC_CONGESTION_CONTROL_H

#include "fabric-telemetry.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace ns3
{

/// \ingroup fabric
/// Picoseconds that a byte takes at one bit per second.
constexpr double FABRIC_BYTE_PICOSECONDS = 8e12;

/// \ingroup fabric
/// What is known of a queue pair's way when it opens.
struct FabricPathProperties
{
    uint64_t lineRate = 0;     ///< of the sending port, in bits per second
    int64_t baseRoundTrip = 0; ///< a full frame forth and its acknowledgement back through empty
                               ///< queues, in picoseconds
    uint32_t payload = 0;      ///< of a full frame, in bytes
    uint32_t fullFrame = 0;    ///< its wire bytes
    uint32_t links = 0;        ///< from the sender to the receiver
    uint64_t* slowdowns = nullptr; ///< counts how often congestion controls slowed senders down

    /// The bandwidth-delay product in bytes, rounded up.
    uint64_t GetBandwidthDelayProduct() const;
};

/// \ingroup fabric
/// An acknowledgement, as congestion control sees it. Bytes are payload. A negative one tells its
/// bytes and mark, after its loss was told, but no round trip and no telemetry.
struct FabricFeedback
{
    int64_t now = 0;                            ///< in picoseconds
    int64_t roundTrip = 0;                      ///< since the answered frame started; 0: unknown
    uint64_t newlyAcknowledged = 0;             ///< bytes; 0 for a repeated acknowledgement
    uint64_t acknowledged = 0;                  ///< bytes, all since the queue pair opened
    uint64_t sent = 0;                          ///< bytes started since the queue pair opened
    bool isMarked = false;                      ///< the answered frame carried a congestion mark
    const FabricTelemetry* telemetry = nullptr; ///< of the answered frame, where it is collected
};

/// \ingroup fabric
/// How fast one queue pair may send: the state of a congestion control.
///
/// The queue pair may start a frame while fewer than GetWindow() bytes of payload are
/// unacknowledged, and no sooner after its last start than that frame's wire bytes take at
/// GetRate(). Where time alone changes the state (timers), nothing is scheduled: Advance brings it
/// up to date whenever it is looked at. An event for each timer of each queue pair would cost more
/// than the frames.
class FabricRateControl
{
  public:
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();

    virtual ~FabricRateControl() = default;

    /// Brings the state to `now`. The times of all calls never decrease. How the way to `now` is
    /// cut into calls must not matter, not even in the last bit: Advance(a), Advance(b) leaves what
    /// Advance(b) leaves. What happens at `now` itself (a timer) has happened.
    virtual void Advance(int64_t now);

    /// Requires: Advance(feedback.now) was called.
    virtual void OnAcknowledgement(const FabricFeedback& feedback);

    /// A congestion notification (CNP) has arrived. Requires: Advance(now) was called.
    virtual void OnCongestionNotification(int64_t now);

    /// Frames were lost: a negative acknowledgement came, or none within the timeout.
    /// Requires: Advance(now) was called.
    virtual void OnLoss(int64_t now);

    /// Bits per second, above 0 and at most the line rate.
    double GetRate() const
    {
        return m_rate;
    }

    uint64_t GetWindow() const
    {
        return m_window;
    }

    /// Whether it delays no start, and nothing but a congestion notification can change that:
    /// neither starts, nor acknowledgements, nor time.
    bool IsUntouched() const
    {
        return m_isUntouched;
    }

    /// Whether nothing but time and congestion notifications changes the rate, and there is no
    /// window: neither starts nor acknowledgements nor losses do.
    bool IsForeseeable() const
    {
        return m_isForeseeable;
    }

    /// The rate stays what it is before this instant, unless a notification comes first.
    /// Requires: IsForeseeable().
    virtual int64_t FindRateEnd() const
    {
        return std::numeric_limits<int64_t>::min();
    }

  protected:
    explicit FabricRateControl(const FabricPathProperties& path)
        : m_path(path)
        , m_rate(static_cast<double>(path.lineRate))
    {
    }

    /// To be called where the sender has become slower than it was: a lower rate or window.
    void CountSlowdown()
    {
        if (m_path.slowdowns != nullptr)
        {
            ++*m_path.slowdowns;
        }
    }

    FabricPathProperties m_path;
    double m_rate;
    uint64_t m_window = NO_WINDOW;
    bool m_isUntouched = false;
    bool m_isForeseeable = false;
};

/// \ingroup fabric
/// What a congestion control needs of the network; decides which mechanisms are switched on.
struct FabricCongestionSignals
{
    bool everyAcknowledgement = false; ///< each data frame is answered
    bool telemetry = false;            ///< each data frame collects telemetry
    bool notifications = false;        ///< marked frames are answered by CNPs
    bool marks = false;                ///< marks (ECN) steer it: without marks it does nothing
};

/// \ingroup fabric
/// A congestion control: its parameters, as attributes, which all queue pairs of a fabric share.
///
/// To add one: a file with a subclass whose TypeId is registered (NS_OBJECT_ENSURE_REGISTERED) and
/// named `ns3::Fabric<Name>`; it can then be chosen by its name in small letters.
class FabricCongestionControl : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    /// One sentence for users.
    virtual std::string GetHelp() const = 0;

    virtual FabricCongestionSignals GetSignals() const = 0;

    /// The least time between two congestion notifications of a queue pair, in picoseconds.
    virtual int64_t GetNotificationInterval() const;

    /// The state of a new queue pair, at `now`.
    virtual std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                                    int64_t now) const = 0;

  protected:
    /// A rate that was tuned for a given line rate; both in bits per second.
    struct TunedRate
    {
        uint64_t rate;
        uint64_t lineRate;
    };

    /// The least rate of a queue pair, in bits per second: as set, at most the line rate.
    double GetMinRate(const FabricPathProperties& path) const;

    /// `rate`, or if that is 0, `tuned` scaled to the path's line rate; in bits per second.
    static double
    ScaleRate(const DataRate& rate, const TunedRate& tuned, const FabricPathProperties& path);

    /// `time`, or if that is 0, `scaled`; in picoseconds.
    static double ScaleTime(const Time& time, double scaled)
    {
        return time.IsZero() ? scaled : static_cast<double>(time.GetPicoSeconds());
    }

  private:
    DataRate m_minRate;
};

} // namespace ns3

#endif /* FABRIC_CONGESTION_CONTROL_H */
