/*
 * The rule tables, one a file, and the functions for what is particular to a
 * route (prepare: after its parameters and body were judged).
 */
#ifndef POLICYD_RULES_RULES_H
#define POLICYD_RULES_RULES_H

#include "policyd/checks.h"
#include "policyd/filters.h"
#include "policyd/route.h"

extern const struct field container_create_fields[];
extern const struct field host_config_fields[];
extern const struct field container_update_fields[];
extern const struct field exec_create_fields[];
extern const struct field exec_start_fields[];
extern const struct field endpoint_fields[];

extern const struct filter_set container_list_filter_set;

extern const struct param no_params[];
extern const struct param container_list_params[];
extern const struct param container_create_params[];
extern const struct param container_inspect_params[];
extern const struct param container_top_params[];
extern const struct param container_logs_params[];
extern const struct param container_stats_params[];
extern const struct param container_start_params[];
extern const struct param container_stop_params[];
extern const struct param container_kill_params[];
extern const struct param container_rename_params[];
extern const struct param container_resize_params[];
extern const struct param container_wait_params[];
extern const struct param container_attach_params[];
extern const struct param container_delete_params[];
extern const struct param ping_params[];

/* prepare.c */
int	 prepare_create(struct judge *);
int	 prepare_rename(struct judge *);
int	 prepare_exec_create(struct judge *);
int	 prepare_start(struct judge *);
int	 prepare_update(struct judge *);

/* check_mount.c: Config.Volumes as labelled anonymous volumes. */
void	 mounts_label_anonymous(struct judge *);

/* answer.c */
int	 answer_create(const struct case_file *, const struct answer_memo *,
	    const struct msg_response *, struct arena *, struct id_set *,
	    struct msg_answer *);
int	 answer_exec_create(const struct case_file *,
	    const struct answer_memo *, const struct msg_response *,
	    struct arena *, struct id_set *, struct msg_answer *);

#endif
