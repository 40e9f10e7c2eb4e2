// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-private-time.h"

#include "fabric-simulator-impl.h"

#include "ns3/fabric.h"

#include <exception>

namespace ns3
{

FabricPrivateTime::FabricPrivateTime(Fabric& fabric, int64_t begin)
    : m_simulators(*FabricSimulatorImpl::s_queue)
{
    fabric.FinishArrivals(); // nothing of the fabric's own is pending with the simulator then
    m_queue.SetNow(begin);
    FabricSimulatorImpl::s_queue = &m_queue;
}

FabricPrivateTime::~FabricPrivateTime()
{
    FabricSimulatorImpl::s_queue = &m_simulators;
    // After an exception nothing goes on, and what is pending here may be of the past.
    std::uncaught_exceptions() > 0 ? m_queue.DropAll() : m_queue.MoveTo(m_simulators);
}

void
FabricPrivateTime::RunUntil(int64_t time)
{
    // The clock moves only when something is taken from the queue. The mark brings the clock to
    // `time` even if nothing else is due then.
    m_queue.Put(m_mark, time, 0);
    while (m_queue.PeekNextTime() <= time)
    {
        (m_queue.IsAtEnd() ? m_queue.TakeEnd() : m_queue.TakeNext()).Execute();
    }
}

} // namespace ns3
