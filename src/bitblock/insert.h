/*-------------------------------------------------------------------------
 *
 * insert.h
 *		Completing splits of pages of a bitblock index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef BITBLOCK_INSERT_H
#define BITBLOCK_INSERT_H

#include "page.h"

extern void bb_finish_split(Relation index, Buffer left);

#endif							/* BITBLOCK_INSERT_H */
