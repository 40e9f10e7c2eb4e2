// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-algorithm.h"

namespace nadi
{

bool
Sends(MscclAction action)
{
    return action == MscclAction::Send || action == MscclAction::ReceiveCopySend ||
           action == MscclAction::ReceiveReduceSend || action == MscclAction::ReceiveReduceCopySend;
}

bool
Receives(MscclAction action)
{
    return action == MscclAction::Receive || action == MscclAction::ReceiveCopySend ||
           action == MscclAction::ReceiveReduceCopy || action == MscclAction::ReceiveReduceSend ||
           action == MscclAction::ReceiveReduceCopySend;
}

bool
Reduces(MscclAction action)
{
    return action == MscclAction::ReceiveReduceCopy || action == MscclAction::ReceiveReduceSend ||
           action == MscclAction::ReceiveReduceCopySend || action == MscclAction::Reduce;
}

bool
HasSource(MscclAction action)
{
    return action == MscclAction::Send || action == MscclAction::Copy || Reduces(action);
}

bool
HasDestination(MscclAction action)
{
    return action != MscclAction::Send && action != MscclAction::ReceiveReduceSend &&
           action != MscclAction::Nothing;
}

} // namespace nadi
