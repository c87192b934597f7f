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
extern const struct field network_create_fields[];
extern const struct field network_connect_fields[];
extern const struct field network_disconnect_fields[];
extern const struct field volume_create_fields[];
extern const struct field libpod_create_fields[];
extern const struct field libpod_pod_fields[];
extern const struct field libpod_resource_fields[];
extern const struct field libpod_network_fields[];
extern const struct field libpod_network_create_fields[];
extern const struct field libpod_network_connect_fields[];
extern const struct field libpod_volume_create_fields[];
extern const struct field libpod_exec_remove_fields[];
extern const struct field libpod_exec_start_fields[];

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
extern const struct param archive_params[];
extern const struct param archive_put_params[];
extern const struct param network_list_params[];
extern const struct param network_inspect_params[];
extern const struct param network_delete_params[];
extern const struct param volume_list_params[];
extern const struct param volume_delete_params[];
extern const struct param prune_params[];
extern const struct param volume_prune_params[];
extern const struct param image_prune_params[];
extern const struct param build_prune_params[];
extern const struct param event_params[];
extern const struct param df_params[];
extern const struct param image_list_params[];
extern const struct param image_create_params[];
extern const struct param image_load_params[];
extern const struct param image_search_params[];
extern const struct param image_save_params[];
extern const struct param image_inspect_params[];
extern const struct param image_tag_params[];
extern const struct param image_delete_params[];
extern const struct param commit_params[];
extern const struct param build_params[];

extern const struct param libpod_list_params[];
extern const struct param libpod_exists_params[];
extern const struct param libpod_stats_params[];
extern const struct param libpod_start_params[];
extern const struct param libpod_stop_params[];
extern const struct param libpod_resize_params[];
extern const struct param libpod_wait_params[];
extern const struct param libpod_delete_params[];
extern const struct param libpod_archive_put_params[];
extern const struct param libpod_top_params[];
extern const struct param libpod_changes_params[];
extern const struct param libpod_update_params[];
extern const struct param libpod_image_save_params[];
extern const struct param libpod_tree_params[];
extern const struct param libpod_pull_params[];
extern const struct param libpod_image_prune_params[];
extern const struct param libpod_image_remove_params[];
extern const struct param libpod_image_delete_params[];
extern const struct param libpod_image_inspect_params[];
extern const struct param libpod_untag_params[];
extern const struct param libpod_commit_params[];
extern const struct param libpod_network_create_params[];
extern const struct param libpod_volume_prune_params[];
extern const struct param libpod_volume_delete_params[];
extern const struct param libpod_pod_list_params[];
extern const struct param libpod_pod_stats_params[];
extern const struct param libpod_pod_delete_params[];
extern const struct param libpod_search_params[];

extern const struct filter_set volume_prune_filter_set;
extern const struct filter_set image_prune_filter_set;

extern const struct param libpod_build_params[];
/* The network of a build's steps; none is a number in podman's own API. */
int	 param_build_network(struct judge *, const struct param *, struct str,
	    struct str *);
/* podman: a name, or a JSON list of names. */
int	 param_dockerfiles(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_labels(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_build_args(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_true(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_false(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_archive_path(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_ps_args(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_own_image(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_pod(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_container(struct judge *, const struct param *, struct str,
	    struct str *);

/* prepare.c */
int	 prepare_create(struct judge *);
int	 prepare_rename(struct judge *);
int	 prepare_exec_create(struct judge *);
int	 prepare_start(struct judge *);
int	 prepare_attach(struct judge *);
int	 prepare_update(struct judge *);
int	 prepare_archive(struct judge *);
int	 prepare_archive_put(struct judge *);
int	 prepare_network_create(struct judge *);
int	 prepare_volume_create(struct judge *);
int	 prepare_volume_delete(struct judge *);
int	 prepare_image_tag(struct judge *);
int	 prepare_image_load(struct judge *);
int	 prepare_image_create(struct judge *);
int	 prepare_commit(struct judge *);
int	 prepare_build(struct judge *);
int	 prepare_build_prune(struct judge *);
int	 prepare_libpod_create(struct judge *);
int	 prepare_libpod_pod(struct judge *);
int	 prepare_libpod_network_create(struct judge *);
int	 prepare_libpod_df(struct judge *);
int	 prepare_pod_start(struct judge *);
int	 prepare_events(struct judge *);
int	 prepare_volume_list(struct judge *);

/* check_mount.c: an object of paths as labelled anonymous volumes. */
void	 mounts_label_anonymous(struct judge *, struct json_object *paths);

/* answer.c, answer_list.c */
#define ANSWER(name) \
	int	 name(const struct case_file *, const struct answer_memo *, \
		    const struct msg_response *, struct arena *, \
		    struct id_set *, struct msg_answer *)
ANSWER(answer_create);
ANSWER(answer_exec_create);
ANSWER(answer_conflict);	/* a name in use, told without foreign ids */
ANSWER(answer_image_remove);	/* in use, told without foreign ids */
ANSWER(answer_volume_create);	/* the label in the answer is ours */
ANSWER(answer_network_inspect);	/* predefined: without its containers */
ANSWER(answer_df);
ANSWER(answer_libpod_df);
ANSWER(answer_volume_list);	/* without other projects' */
ANSWER(answer_event);		/* one line of podman's events */
ANSWER(answer_build);		/* one line of a build on podman's own API */
#undef ANSWER

#endif
