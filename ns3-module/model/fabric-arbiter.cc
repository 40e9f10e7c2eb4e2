// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-arbiter.h"

namespace ns3
{

void
FabricFrameQueue::Insert(const FabricFrame& frame, int64_t now)
{
    if (now != m_instant)
    {
        m_instant = now;
        m_newcomers = 0;
    }
    std::size_t position = m_frames.GetSize();
    const std::size_t first = position - m_newcomers;
    while (position > first && m_frames[position - 1].ingress > frame.ingress)
    {
        --position;
    }
    m_frames.Insert(position, frame);
    ++m_newcomers;
    m_bytes += frame.wireBytes;
}

FabricFrame
FabricFrameQueue::Take()
{
    const FabricFrame frame = m_frames.Front();
    m_frames.PopFront();
    m_bytes -= frame.wireBytes;
    return frame;
}

FabricArbiter::Source
FabricArbiter::Choose() const
{
    if (!m_control.IsEmpty())
    {
        return Source::Control;
    }
    if (m_transit.IsEmpty())
    {
        return Source::Local;
    }
    if (m_local.IsEmpty())
    {
        return Source::Transit;
    }
    return m_lastData == Source::Transit ? Source::Local : Source::Transit;
}

uint32_t
FabricArbiter::PeekBytes() const
{
    switch (Choose())
    {
    case Source::Control:
        return m_control.Front().wireBytes;
    case Source::Transit:
        return m_transit.Front().wireBytes;
    case Source::Local:
        break;
    }
    return m_local.Peek().PeekBytes();
}

FabricFrame
FabricArbiter::Take()
{
    const Source source = Choose();
    if (source == Source::Control)
    {
        return m_control.Take();
    }
    m_lastData = source;
    return source == Source::Transit ? m_transit.Take() : m_local.Take();
}

} // namespace ns3
