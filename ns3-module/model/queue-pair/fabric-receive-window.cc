// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-receive-window.h"

namespace ns3
{

FabricReceiveWindow::FabricReceiveWindow(FabricReordering reordering)
    : m_kept(reordering == FabricReordering::Keep ? std::make_unique<FabricSequenceSet>() : nullptr)
{
}

FabricReceiveWindow::Outcome
FabricReceiveWindow::AcceptAnywhere(uint64_t sequence)
{
    if (sequence < m_expected)
    {
        return Outcome::Duplicate;
    }
    if (sequence > m_expected)
    {
        return m_kept && !m_kept->Insert(sequence) ? Outcome::Duplicate : Outcome::OutOfOrder;
    }
    // The gap may be closed: then the frames that were kept right after it are in order too.
    ++m_expected;
    if (!m_kept->IsEmpty() && m_kept->GetFirst() == m_expected)
    {
        m_expected = m_kept->EraseFirstRun();
    }
    return Outcome::InOrder;
}

} // namespace ns3
