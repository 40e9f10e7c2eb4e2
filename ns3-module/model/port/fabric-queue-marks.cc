// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-queue-marks.h"

#include "fabric-arbiter.h"
#include "fabric-port.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricQueueMarks);

TypeId
FabricQueueMarks::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricQueueMarks")
            .SetParent<FabricStartAction>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricQueueMarks>()
            .AddAttribute("Min",
                          "Bytes of waiting data of a priority up to which no frame is marked.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricQueueMarks::m_min),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Max",
                          "Bytes above which every frame in transit is marked; 0: none ever is.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricQueueMarks::m_max),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "Probability",
                "With which a frame is marked at Max; from Min on it rises in proportion.",
                DoubleValue(0.2),
                MakeDoubleAccessor(&FabricQueueMarks::m_probability),
                MakeDoubleChecker<double>(0, 1));
    return tid;
}

std::string
FabricQueueMarks::GetHelp() const
{
    return "Marks frames that leave a long queue behind.";
}

void
FabricQueueMarks::OnStart(FabricFrame& frame, const Start& start)
{
    // A sender does not mark its own frames, and answers are never marked (docs/semantics.md 5).
    if (!frame.IsData() || frame.hop == 0 || frame.isMarked)
    {
        return;
    }
    const double drawn = ComputeProbability(start.queue.GetWaitingBytes(frame.priority));
    // A certain mark (probability 1) is reported too: periods with marks of any kind are not kept
    // (docs/memo.md).
    if (drawn > 0)
    {
        start.port.ReportDraw();
    }
    frame.isMarked =
        drawn >= 1 || (drawn > 0 && Draw(FabricPurpose::Mark, frame, start.port) < drawn);
}

std::optional<uint64_t>
FabricQueueMarks::GetIdleQueue() const
{
    return m_max == 0 ? std::numeric_limits<uint64_t>::max() : m_min;
}

double
FabricQueueMarks::ComputeProbability(uint64_t queue) const
{
    if (m_max == 0 || queue <= m_min)
    {
        return 0;
    }
    // Beyond Max every frame is marked, whatever m_probability is (docs/semantics.md 5).
    if (queue > m_max)
    {
        return 1;
    }
    // Here Min < queue <= Max, so the divisor is above 0.
    const double slope = m_probability / static_cast<double>(m_max - m_min);
    return slope * static_cast<double>(queue - m_min);
}

} // namespace ns3
